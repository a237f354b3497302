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
		return get_post_types( array( 'show_ui' => true, 'public' => true ), 'objects' );
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
		$is_media = 'attachment' === $type->name;
		$has      = static fn( array $field ) => self::has( $type, $field['supports'] ?? '' );
		$fields   = array_filter( self::set( $is_media ? 'attachment' : 'post' ), $has );
		if ( $is_media ) {
			return $fields;
		}
		$may_publish                 = current_user_can( $type->cap->publish_posts );
		$fields['status']['options'] = $may_publish ? self::STATES : array( 'draft', 'pending' );
		$fields['date']['label']    .= ' (UTC)';
		foreach ( self::taxonomies( $type->name ) as $name => $taxonomy ) {
			$may             = current_user_can( $taxonomy->cap->assign_terms );
			$fields[ $name ] = self::field( $name, $taxonomy->label, array( 'kind' => 'relation', 'readOnly' => ! $may ) );
		}
		foreach ( self::meta( $type->name ) as $key => $meta ) {
			$label                 = '' !== $meta['description'] ? $meta['description'] : $key;
			$kind                  = array( 'string' => 'longtext', 'boolean' => 'boolean' )[ $meta['type'] ] ?? 'number';
			$fields[ "meta.$key" ] = self::field( "meta.$key", $label, array( 'kind' => $kind, 'meta' => $key ) );
		}
		foreach ( array_diff_key( AIC_Meta::fields( $type->name ) + AIC_Builder::fields(), $fields ) as $name => $members ) {
			$fields[ $name ] = self::field( $name, $members['label'], $members );
		}
		return $fields;
	}

	/**
	 * Fields of the file `fields.json`, with where WordPress stores them.
	 *
	 * @param string $name Name of their set.
	 * @return array<string, array<string, mixed>> By name.
	 */
	private static function set( string $name ): array {
		static $sets = null;
		$sets      ??= wp_json_file_decode( __DIR__ . '/../fields.json', array( 'associative' => true ) );
		$fields      = array();
		foreach ( $sets[ $name ] as $field => $members ) {
			// phpcs:ignore WordPress.WP.I18n -- Words of WordPress itself.
			$fields[ $field ] = self::field( $field, translate( $members['label'] ), $members );
		}
		return $fields;
	}

	/**
	 * True if posts of a type have what a field is part of.
	 *
	 * @param WP_Post_Type $type    The type.
	 * @param string       $feature A feature of post types, or `hierarchical`; empty: all have it.
	 */
	private static function has( WP_Post_Type $type, string $feature ): bool {
		return match ( $feature ) {
			''             => true,
			'hierarchical' => $type->hierarchical,
			default        => post_type_supports( $type->name, $feature )
				&& ( 'thumbnail' !== $feature || current_theme_supports( 'post-thumbnails', $type->name ) ),
		};
	}

	/**
	 * The taxonomies of a type that have a place in wp-admin.
	 *
	 * @param string $type Name of the post type.
	 * @return array<string, WP_Taxonomy> By name.
	 */
	public static function taxonomies( string $type ): array {
		return wp_list_filter( get_object_taxonomies( $type, 'objects' ), array( 'public' => true, 'show_ui' => true ) );
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
	 * The tables that the current user may read.
	 *
	 * @return array<int, array<string, mixed>>
	 */
	public static function tables(): array {
		$tables = array();
		foreach ( self::all() as $type ) {
			$may      = current_user_can( $type->cap->edit_posts );
			$tables[] = self::table( $type->name, $type->label, self::fields( $type ), $may );
		}
		// phpcs:ignore WordPress.WP.I18n -- A word of WordPress itself.
		$tables[] = self::table( self::COMMENT, __( 'Comments' ), self::set( self::COMMENT ), false );
		return $tables;
	}

	/**
	 * A table as the protocol has it.
	 *
	 * @param string                              $name       Name of the type.
	 * @param string                              $label      Label in the language of the user.
	 * @param array<string, array<string, mixed>> $fields     Its fields.
	 * @param bool                                $may_modify True if the user may change any record of it.
	 * @return array<string, mixed>
	 */
	private static function table( string $name, string $label, array $fields, bool $may_modify ): array {
		return array( 'name' => $name, 'label' => $label, 'fields' => array_values( $fields ), 'mayModify' => $may_modify );
	}

	/**
	 * A field as the protocol has it.
	 *
	 * @param string               $name  Name.
	 * @param string               $label Label in the language of the user.
	 * @param array<string, mixed> $more  Its kind, and members that differ from the usual.
	 * @return array<string, mixed>
	 */
	private static function field( string $name, string $label, array $more ): array {
		$usual = array( 'required' => false, 'max' => null, 'readOnly' => false );
		return array( 'name' => $name, 'label' => rtrim( $label, ':' ) ) + $more + $usual;
	}
}
