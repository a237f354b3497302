<?php
/**
 * The types of records and their fields.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * The types of the site, and the fields that a user may read and change.
 */
final class AIC_Types {

	/**
	 * The type of comments, which are read-only records.
	 */
	public const COMMENT = 'comment';

	/**
	 * The states that the assistant may give a post.
	 */
	public const STATES = array( 'draft', 'pending', 'private', 'publish', 'future' );

	/**
	 * Returns the post types that the assistant knows: public types with an interface in wp-admin, and media.
	 *
	 * @return array<string, WP_Post_Type>
	 */
	public static function all(): array {
		return get_post_types( array( 'show_ui' => true, 'public' => true ), 'objects' );
	}

	/**
	 * Returns the type with this name; null if the assistant does not know it.
	 *
	 * @param string $name The name of the post type.
	 */
	public static function find( string $name ): ?WP_Post_Type {
		return self::all()[ $name ] ?? null;
	}

	/**
	 * Returns the fields of a type, with the current user's right to change them.
	 *
	 * @param WP_Post_Type $type    The type.
	 * @param bool         $of_user False for the fields as a user with all rights may change them.
	 * @return array<string, array<string, mixed>> By name.
	 */
	public static function fields( WP_Post_Type $type, bool $of_user = true ): array {
		$is_media = 'attachment' === $type->name;
		$has      = static fn( array $field ) => self::has( $type, $field['supports'] ?? '' );
		$fields   = array_filter( self::set( $is_media ? 'attachment' : 'post' ), $has );
		if ( $is_media ) {
			return $fields;
		}
		$may_publish                 = ! $of_user || current_user_can( $type->cap->publish_posts );
		$fields['status']['options'] = $may_publish ? self::STATES : array( 'draft', 'pending' );
		$fields['date']['label']    .= ' (UTC)';
		foreach ( self::taxonomies( $type->name ) as $name => $taxonomy ) {
			$may             = ! $of_user || current_user_can( $taxonomy->cap->assign_terms );
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
	 * Returns a set of fields from the file `fields.json`, with their places in WordPress's database.
	 *
	 * @param string $name The name of the set.
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
	 * True if posts of a type support the feature of a field.
	 *
	 * @param WP_Post_Type $type    The type.
	 * @param string       $feature A feature of post types, or `hierarchical`; empty for a field of all posts.
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
	 * Returns the id of the term that WordPress gives to a post without terms; 0 for none.
	 *
	 * @param string $taxonomy The taxonomy.
	 */
	public static function default_term( string $taxonomy ): int {
		return (int) get_option( 'category' === $taxonomy ? 'default_category' : "default_term_$taxonomy" );
	}

	/**
	 * Returns the slugs of the terms that WordPress gives to a new post, by taxonomy.
	 *
	 * @param string $type The type.
	 * @return array<string, array<int, string>>
	 */
	public static function default_terms( string $type ): array {
		$names = array_keys( self::taxonomies( $type ) );
		// WordPress gives a default category to posts alone.
		$names = 'post' === $type ? $names : array_diff( $names, array( 'category' ) );
		$terms = array_map( static fn( string $name ) => get_term( self::default_term( $name ), $name ), array_combine( $names, $names ) );
		return array_map( static fn( WP_Term $term ) => array( $term->slug ), array_filter( $terms, static fn( $term ) => $term instanceof WP_Term ) );
	}

	/**
	 * Returns the taxonomies of a type that have an interface in wp-admin.
	 *
	 * @param string $type The name of the post type.
	 * @return array<string, WP_Taxonomy> By name.
	 */
	public static function taxonomies( string $type ): array {
		return wp_list_filter( get_object_taxonomies( $type, 'objects' ), array( 'public' => true, 'show_ui' => true ) );
	}

	/**
	 * Returns the registered meta of a type whose values are single, simple and visible in REST.
	 *
	 * @param string $type The name of the post type.
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
	 * Returns the tables that the current user may read.
	 *
	 * @param bool $of_user False for the fields as a user with all rights may change them.
	 * @return array<int, array<string, mixed>>
	 */
	public static function tables( bool $of_user = true ): array {
		$tables = array();
		foreach ( self::all() as $type ) {
			$may      = current_user_can( $type->cap->edit_posts );
			$tables[] = self::table( $type->name, $type->label, self::fields( $type, $of_user ), $may );
		}
		// phpcs:ignore WordPress.WP.I18n -- A word of WordPress itself.
		$tables[] = self::table( self::COMMENT, __( 'Comments' ), self::set( self::COMMENT ), false );
		return $tables;
	}

	/**
	 * Returns a table in the form of the protocol.
	 *
	 * @param string                              $name       The name of the type.
	 * @param string                              $label      The label in the language of the user.
	 * @param array<string, array<string, mixed>> $fields     The fields.
	 * @param bool                                $may_modify True if the user may change any record of the type.
	 * @return array<string, mixed>
	 */
	private static function table( string $name, string $label, array $fields, bool $may_modify ): array {
		return array( 'name' => $name, 'label' => $label, 'fields' => array_values( $fields ), 'mayModify' => $may_modify );
	}

	/**
	 * Returns a field in the form of the protocol.
	 *
	 * @param string               $name  The name.
	 * @param string               $label The label in the language of the user.
	 * @param array<string, mixed> $more  The kind, and members that differ from the defaults.
	 * @return array<string, mixed>
	 */
	private static function field( string $name, string $label, array $more ): array {
		$usual = array( 'required' => false, 'max' => null, 'readOnly' => false );
		return array( 'name' => $name, 'label' => rtrim( $label, ':' ) ) + $more + $usual;
	}
}
