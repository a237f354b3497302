<?php
/**
 * Stores changes.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Stores checked values with WordPress's own functions, so that hooks, sanitizers and revisions work. `update`,
 * `create` and `delete` return the id of the post.
 */
final class AIC_Writer {

	/**
	 * The meta key of a post that a check of the bridge created.
	 */
	public const CHECK = '_aic_check';

	/**
	 * Stores values of a post.
	 *
	 * @param WP_Post_Type         $type   The type.
	 * @param WP_Post              $post   The post.
	 * @param array<string, mixed> $stored Values by field.
	 */
	public static function update( WP_Post_Type $type, WP_Post $post, array $stored ): int {
		// WordPress refuses a stored template that the theme no longer has, so the row names none.
		$row = array( 'ID' => $post->ID, 'page_template' => null ) + self::row( $type, $stored );
		$id  = self::keeping_terms( $post, static fn() => wp_update_post( wp_slash( $row ), true ) );
		return self::store( $type, $id, $stored );
	}

	/**
	 * Runs a function that stores a post, and returns its result. Removes the default terms that WordPress gives to a
	 * post without terms.
	 *
	 * @param WP_Post  $post  The post.
	 * @param callable $write The function.
	 * @return mixed
	 */
	public static function keeping_terms( WP_Post $post, callable $write ) {
		$bare = array_filter( get_object_taxonomies( $post->post_type ), static fn( string $taxonomy ) => ! get_the_terms( $post->ID, $taxonomy ) );
		$done = $write();
		foreach ( $bare as $taxonomy ) {
			wp_remove_object_terms( $post->ID, AIC_Types::default_term( $taxonomy ), $taxonomy );
		}
		return $done;
	}

	/**
	 * Stores a new post.
	 *
	 * @param WP_Post_Type         $type   The type.
	 * @param array<string, mixed> $stored Values by field.
	 * @param string               $run    The run that creates the post.
	 */
	public static function create( WP_Post_Type $type, array $stored, string $run ): int {
		$row = array( 'post_type' => $type->name ) + self::row( $type, $stored );
		// WordPress takes the date of a new post as the time of its last change, even a later date.
		$now = static fn( array $columns ): array => array( 'post_modified' => current_time( 'mysql' ), 'post_modified_gmt' => current_time( 'mysql', true ) ) + $columns;
		add_filter( 'wp_insert_post_data', $now );
		$id = wp_insert_post( wp_slash( $row ), true );
		remove_filter( 'wp_insert_post_data', $now );
		self::store( $type, $id, $stored );
		if ( str_starts_with( $run, 'kit-' ) ) {
			update_post_meta( $id, self::CHECK, $run );
		}
		return $id;
	}

	/**
	 * True if a run takes back a check of the bridge that created the post.
	 *
	 * @param WP_Post $post The post.
	 * @param string  $run  The run.
	 */
	public static function is_undo_of_check( WP_Post $post, string $run ): bool {
		return str_starts_with( $run, 'kit-' ) && $run === get_post_meta( $post->ID, self::CHECK, true ) . '/undo';
	}

	/**
	 * Deletes a post permanently.
	 *
	 * @param WP_Post $post The post.
	 * @throws AIC_Refusal When WordPress refuses.
	 */
	public static function delete( WP_Post $post ): int {
		return wp_delete_post( $post->ID, true ) ? $post->ID : throw new AIC_Refusal( 'WordPress refused it.' );
	}

	/**
	 * Returns the values for the row of a post.
	 *
	 * @param WP_Post_Type         $type   The type.
	 * @param array<string, mixed> $stored Values by field.
	 * @return array<string, mixed>
	 */
	private static function row( WP_Post_Type $type, array $stored ): array {
		$row = array();
		foreach ( self::placed( 'column', $type, $stored ) as $name => $column ) {
			$row[ $column ] = $stored[ $name ];
		}
		if ( array_key_exists( 'date', $stored ) ) {
			$date = null === $stored['date'] ? null : gmdate( 'Y-m-d H:i:s', (int) strtotime( $stored['date'] ) );
			$row += array( 'edit_date' => true, 'post_date_gmt' => $date ?? '0000-00-00 00:00:00' ) + ( $date ? array( 'post_date' => get_date_from_gmt( $date ) ) : array() );
		}
		return $row + AIC_Meta::row( AIC_Types::fields( $type ), $stored );
	}

	/**
	 * Stores the values that are not in the row of a post.
	 *
	 * @param WP_Post_Type         $type   The type.
	 * @param int|WP_Error         $id     The id of the post, or the error that prevented its row.
	 * @param array<string, mixed> $stored Values by field.
	 * @throws AIC_Refusal When WordPress refused the row, or the user may not set a meta.
	 */
	private static function store( WP_Post_Type $type, $id, array $stored ): int {
		AIC_Refusal::when_error( $id );
		update_post_meta( $id, '_edit_last', get_current_user_id() );
		$fields = AIC_Types::fields( $type );
		foreach ( self::placed( 'meta', $type, $stored ) as $name => $key ) {
			if ( AIC_Meta::store( $id, $fields[ $name ], $stored[ $name ] ) ) {
				continue;
			}
			// A plugin may decide by what a new post has only after it is stored.
			$is_refused = null !== $stored[ $name ] && str_starts_with( $name, 'meta.' ) && ! current_user_can( 'edit_post_meta', $id, $key );
			AIC_Refusal::when( $is_refused, "The field $name cannot be changed by this user." );
			$is_none = null === $stored[ $name ] || ( 'featured_media' === $name && 0 === $stored[ $name ] );
			$is_none ? delete_post_meta( $id, $key ) : update_post_meta( $id, $key, wp_slash( $stored[ $name ] ) );
		}
		foreach ( array_intersect_key( $stored, AIC_Types::taxonomies( $type->name ) ) as $taxonomy => $terms ) {
			wp_set_object_terms( $id, $terms, $taxonomy );
		}
		return $id;
	}

	/**
	 * Returns the database columns (or the meta keys) in which values are stored. Leaves out values that are stored
	 * elsewhere.
	 *
	 * @param string               $kind   `column` or `meta`.
	 * @param WP_Post_Type         $type   The type.
	 * @param array<string, mixed> $stored Values by field.
	 * @return array<string, string> By field.
	 */
	private static function placed( string $kind, WP_Post_Type $type, array $stored ): array {
		return array_intersect_key( array_column( AIC_Types::fields( $type ), $kind, 'name' ), $stored );
	}
}
