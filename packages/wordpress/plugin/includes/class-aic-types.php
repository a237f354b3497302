<?php
/**
 * Types of records and their fields.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Which types the site has, and which of their fields a user may read and change.
 */
final class AIC_Types {

	/**
	 * Comments are read-only records of this type.
	 */
	public const COMMENT = 'comment';

	/**
	 * States that the assistant may give a post.
	 */
	public const STATES = array( 'draft', 'pending', 'private', 'publish', 'future' );

	/**
	 * The post types that the assistant knows: public ones with a place in wp-admin, and media.
	 *
	 * @return array<string, WP_Post_Type>
	 */
	public static function all(): array {
		return array_filter( get_post_types( array( 'show_ui' => true ), 'objects' ), static fn( WP_Post_Type $type ) => $type->public );
	}

	/**
	 * The type of this name; null when the assistant does not know it.
	 *
	 * @param string $name Name of the post type.
	 */
	public static function find( string $name ): ?WP_Post_Type {
		return self::all()[ $name ] ?? null;
	}

	/**
	 * The types whose posts go to the bin: none where the site has switched it off.
	 *
	 * @return array<int, string>
	 */
	public static function with_bin(): array {
		$names = array_keys( self::all() );
		$media = defined( 'MEDIA_TRASH' ) && MEDIA_TRASH ? array() : array( 'attachment' );
		return EMPTY_TRASH_DAYS ? array_values( array_diff( $names, $media ) ) : array();
	}

	/**
	 * The fields of a type, as the current user may change them.
	 *
	 * @param WP_Post_Type $type The type.
	 * @return array<string, array<string, mixed>> By name.
	 */
	public static function fields( WP_Post_Type $type ): array {
		$has      = static fn( string $feature ) => post_type_supports( $type->name, $feature );
		$is_media = 'attachment' === $type->name;
		$fields   = array( self::field( 'title', __( 'Title' ), 'text', array( 'required' => true ) ) );
		if ( $has( 'editor' ) || $is_media ) {
			$fields[] = self::field( 'content', $is_media ? __( 'Description' ) : __( 'Content' ), $is_media ? 'longtext' : 'blocks' );
		}
		if ( $has( 'excerpt' ) || $is_media ) {
			$fields[] = self::field( 'excerpt', $is_media ? __( 'Caption' ) : __( 'Excerpt' ), 'longtext' );
		}
		if ( $is_media ) {
			$fields[] = self::field( 'alt', __( 'Alternative Text' ), 'text' );
			$fields[] = self::field( 'url', __( 'File URL:' ), 'text', array( 'readOnly' => true ) );
			$fields[] = self::field( 'mime', __( 'File type:' ), 'text', array( 'readOnly' => true ) );
			return self::by_name( $fields );
		}
		$fields[] = self::field( 'slug', __( 'Slug' ), 'text', array( 'max' => 200, 'unique' => true ) );
		$fields[] = self::field( 'status', __( 'Status' ), 'select', array( 'options' => self::states( $type ) ) );
		$fields[] = self::field( 'date', __( 'Publish' ) . ' (UTC)', 'date' );
		if ( $type->hierarchical ) {
			$fields[] = self::field( 'parent', __( 'Parent' ), 'relation' );
		}
		if ( $has( 'page-attributes' ) ) {
			$fields[] = self::field( 'menu_order', __( 'Order' ), 'number' );
		}
		if ( $has( 'thumbnail' ) && current_theme_supports( 'post-thumbnails', $type->name ) ) {
			$fields[] = self::field( 'featured_media', __( 'Featured image' ), 'media', array( 'target' => 'attachment' ) );
		}
		if ( $has( 'author' ) ) {
			$fields[] = self::field( 'author', __( 'Author' ), 'text', array( 'readOnly' => true ) );
		}
		foreach ( self::taxonomies( $type->name ) as $taxonomy ) {
			$may      = current_user_can( $taxonomy->cap->assign_terms );
			$fields[] = self::field( $taxonomy->name, $taxonomy->label, 'relation', array( 'readOnly' => ! $may ) );
		}
		foreach ( self::meta( $type->name ) as $key => $meta ) {
			$fields[] = self::field( "meta.$key", '' !== $meta['description'] ? $meta['description'] : $key, self::kind_of( $meta['type'] ) );
		}
		return self::by_name( $fields );
	}

	/**
	 * The fields of comments, which are read and never written here.
	 *
	 * @return array<string, array<string, mixed>> By name.
	 */
	public static function comment_fields(): array {
		$only = array( 'readOnly' => true );
		return self::by_name(
			array(
				self::field( 'author', __( 'Author' ), 'text', $only ),
				self::field( 'content', __( 'Comment' ), 'longtext', $only ),
				self::field( 'status', __( 'Status' ), 'select', $only + array( 'options' => array( 'approved', 'hold', 'spam' ) ) ),
				self::field( 'date', __( 'Submitted on' ), 'date', $only ),
			)
		);
	}

	/**
	 * The taxonomies of a type that have a place in wp-admin.
	 *
	 * @param string $type Name of the post type.
	 * @return array<int, WP_Taxonomy>
	 */
	public static function taxonomies( string $type ): array {
		return array_values(
			array_filter(
				get_object_taxonomies( $type, 'objects' ),
				static fn( WP_Taxonomy $taxonomy ) => $taxonomy->public && $taxonomy->show_ui && 'post_format' !== $taxonomy->name
			)
		);
	}

	/**
	 * The registered meta of a type that has one simple value and is open to REST.
	 *
	 * @param string $type Name of the post type.
	 * @return array<string, array<string, mixed>> By key.
	 */
	public static function meta( string $type ): array {
		$registered = get_registered_meta_keys( 'post', $type ) + get_registered_meta_keys( 'post' );
		return array_filter(
			$registered,
			static fn( array $meta ) => $meta['show_in_rest'] && $meta['single'] && in_array( $meta['type'], array( 'string', 'integer', 'number', 'boolean' ), true )
		);
	}

	/**
	 * The states that the current user may give to posts of a type.
	 *
	 * @param WP_Post_Type $type The type.
	 * @return array<int, string>
	 */
	public static function states( WP_Post_Type $type ): array {
		$may_publish = current_user_can( $type->cap->publish_posts );
		return $may_publish ? self::STATES : array( 'draft', 'pending' );
	}

	/**
	 * The table of a type, as the current user may use it.
	 *
	 * @param WP_Post_Type $type The type.
	 * @return array<string, mixed>
	 */
	public static function table( WP_Post_Type $type ): array {
		return array(
			'name'      => $type->name,
			'label'     => $type->label,
			'fields'    => array_values( self::fields( $type ) ),
			'mayModify' => current_user_can( $type->cap->edit_posts ),
		);
	}

	/**
	 * The tables that the current user may read.
	 *
	 * @return array<int, array<string, mixed>>
	 */
	public static function tables(): array {
		$tables   = array_map( array( self::class, 'table' ), array_values( self::all() ) );
		$tables[] = array(
			'name'      => self::COMMENT,
			'label'     => __( 'Comments' ),
			'fields'    => array_values( self::comment_fields() ),
			'mayModify' => false,
		);
		return $tables;
	}

	/**
	 * A field as the protocol has it.
	 *
	 * @param string               $name  Name.
	 * @param string               $label Label in the language of the user.
	 * @param string               $kind  Kind of the protocol.
	 * @param array<string, mixed> $more  Members that differ from the usual.
	 * @return array<string, mixed>
	 */
	private static function field( string $name, string $label, string $kind, array $more = array() ): array {
		return $more + array(
			'name'     => $name,
			'label'    => rtrim( $label, ':' ),
			'kind'     => $kind,
			'required' => false,
			'max'      => null,
			'readOnly' => false,
		);
	}

	/**
	 * Fields by their name.
	 *
	 * @param array<int, array<string, mixed>> $fields The fields.
	 * @return array<string, array<string, mixed>>
	 */
	private static function by_name( array $fields ): array {
		return array_column( $fields, null, 'name' );
	}

	/**
	 * The kind of a field for a type of meta.
	 *
	 * @param string $type Type of the meta.
	 */
	private static function kind_of( string $type ): string {
		return match ( $type ) {
			'boolean'           => 'boolean',
			'integer', 'number' => 'number',
			default             => 'longtext',
		};
	}
}
