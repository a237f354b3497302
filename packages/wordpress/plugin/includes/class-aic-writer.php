<?php
/**
 * Storing.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Stores what was checked, by WordPress's own functions, so that hooks, sanitizers and revisions work. Each answers the id
 * of the post.
 */
final class AIC_Writer {

	private const COLUMNS = array(
		'title'      => 'post_title',
		'content'    => 'post_content',
		'excerpt'    => 'post_excerpt',
		'slug'       => 'post_name',
		'status'     => 'post_status',
		'parent'     => 'post_parent',
		'menu_order' => 'menu_order',
	);

	/**
	 * Meta of a post that a check of the bridge made.
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
		// WordPress keeps the state after a change alone.
		wp_save_post_revision( $post->ID );
		return self::store( $type, wp_update_post( wp_slash( array( 'ID' => $post->ID ) + self::row( $stored ) ), true ), $stored );
	}

	/**
	 * Stores a new post.
	 *
	 * @param WP_Post_Type         $type   The type.
	 * @param array<string, mixed> $stored Values by field.
	 * @param string               $run    The run that makes it.
	 */
	public static function create( WP_Post_Type $type, array $stored, string $run ): int {
		$id = self::store( $type, wp_insert_post( wp_slash( array( 'post_type' => $type->name ) + self::row( $stored ) ), true ), $stored );
		if ( str_starts_with( $run, 'kit-' ) ) {
			update_post_meta( $id, self::CHECK, $run );
		}
		return $id;
	}

	/**
	 * Puts a post into the bin, or brings it back in its state.
	 *
	 * @param WP_Post $post The post.
	 * @param bool    $goes Into the bin.
	 * @throws AIC_Refusal When WordPress refuses.
	 */
	public static function bin( WP_Post $post, bool $goes ): int {
		add_filter( 'wp_untrash_post_status', 'wp_untrash_post_set_previous_status', 10, 3 );
		$slug    = AIC_Record::returning( $post )['slug'];
		$is_done = $goes ? wp_trash_post( $post->ID ) : wp_untrash_post( $post->ID );
		remove_filter( 'wp_untrash_post_status', 'wp_untrash_post_set_previous_status', 10 );
		if ( $is_done && ! $goes && '' === $slug ) {
			// WordPress leaves a post that had no slug with the one of the bin.
			wp_update_post( array( 'ID' => $post->ID, 'post_name' => '' ) );
		}
		return $is_done ? $post->ID : throw AIC_Refusal::for_model( 'WordPress refused it.' );
	}

	/**
	 * Takes away a post that a run made: into the bin where there is one. What a check made itself goes for good.
	 *
	 * @param WP_Post $post The post.
	 * @param string  $run  The run that takes it away.
	 */
	public static function remove( WP_Post $post, string $run ): int {
		$is_check = str_starts_with( $run, 'kit-' ) && $run === get_post_meta( $post->ID, self::CHECK, true ) . '/undo';
		if ( ! $is_check && in_array( $post->post_type, AIC_Types::with_bin(), true ) ) {
			return self::bin( $post, true );
		}
		return wp_delete_post( $post->ID, true ) ? $post->ID : throw AIC_Refusal::for_model( 'WordPress refused it.' );
	}

	/**
	 * Values in the row of a post.
	 *
	 * @param array<string, mixed> $stored Values by field.
	 * @return array<string, mixed>
	 */
	private static function row( array $stored ): array {
		$row = array();
		foreach ( array_intersect_key( $stored, self::COLUMNS ) as $name => $value ) {
			$row[ self::COLUMNS[ $name ] ] = $value;
		}
		if ( array_key_exists( 'date', $stored ) ) {
			$date = null === $stored['date'] ? null : gmdate( 'Y-m-d H:i:s', (int) strtotime( $stored['date'] ) );
			$row += array( 'edit_date' => true, 'post_date_gmt' => $date ?? '0000-00-00 00:00:00' ) + ( $date ? array( 'post_date' => get_date_from_gmt( $date ) ) : array() );
		}
		return $row;
	}

	/**
	 * Stores what is not in the row of a post.
	 *
	 * @param WP_Post_Type         $type   The type.
	 * @param int|WP_Error         $id     The post, or why its row was not stored.
	 * @param array<string, mixed> $stored Values by field.
	 * @throws AIC_Refusal When WordPress refused the row.
	 */
	private static function store( WP_Post_Type $type, $id, array $stored ): int {
		AIC_Refusal::when_error( $id );
		$meta = array();
		foreach ( $stored as $name => $value ) {
			if ( str_starts_with( (string) $name, 'meta.' ) ) {
				$meta[ substr( $name, 5 ) ] = $value;
			}
		}
		$meta += isset( $stored['alt'] ) ? array( '_wp_attachment_image_alt' => $stored['alt'] ) : array();
		$meta += isset( $stored['featured_media'] ) ? array( '_thumbnail_id' => $stored['featured_media'] ? $stored['featured_media'] : null ) : array();
		foreach ( $meta + array( '_edit_last' => get_current_user_id() ) as $key => $value ) {
			null === $value ? delete_post_meta( $id, $key ) : update_post_meta( $id, $key, wp_slash( $value ) );
		}
		foreach ( AIC_Types::taxonomies( $type->name ) as $taxonomy ) {
			if ( isset( $stored[ $taxonomy->name ] ) ) {
				wp_set_object_terms( $id, $stored[ $taxonomy->name ], $taxonomy->name );
			}
		}
		return $id;
	}
}
