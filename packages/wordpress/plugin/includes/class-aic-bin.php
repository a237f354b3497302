<?php
/**
 * The bin.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Moves posts into the bin of WordPress, and restores them.
 */
final class AIC_Bin {

	/**
	 * Returns the types whose posts go to the bin; none if the site has disabled the bin.
	 *
	 * @return array<int, string>
	 */
	public static function types(): array {
		$names = array_keys( AIC_Types::all() );
		$media = defined( 'MEDIA_TRASH' ) && MEDIA_TRASH ? array() : array( 'attachment' );
		return EMPTY_TRASH_DAYS ? array_values( array_diff( $names, $media ) ) : array();
	}

	/**
	 * Plans a move into the bin or out of it.
	 *
	 * @param WP_Post_Type         $type The type.
	 * @param array<string, mixed> $put  The put.
	 * @return array{0: array<string, mixed>, 1: callable(): int}
	 * @throws AIC_Refusal When the type has no bin, or the user may not move the post.
	 */
	public static function plan( WP_Post_Type $type, array $put ): array {
		AIC_Refusal::when( ! in_array( $type->name, self::types(), true ), "A $type->name has no bin, and nothing is deleted for good." );
		$post   = $put['bin'] ? AIC_Target::deletable( $type, $put['uid'] ) : self::restorable( $type, $put['uid'] );
		$record = AIC_Record::of( $post );
		$states = array(
			array( 'record' => $put['bin'] ? $record : self::record( $record, $post ), 'bin' => ! $put['bin'] ),
			array( 'record' => $put['bin'] ? null : AIC_Record::with( $record, self::returning( $post ) ), 'bin' => $put['bin'] ),
		);
		$count  = (int) get_comments_number( $post );
		// phpcs:ignore WordPress.WP.I18n -- A word of WordPress itself.
		$along  = $count > 0 ? array( 'field' => 'comments', 'label' => __( 'Comments' ), 'text' => (string) $count ) : null;
		$answer = AIC_Put::answer( $type, $post, ...$states ) + ( $along ? array( 'along' => array( $along ) ) : array() );
		return array( $answer, static fn() => self::move( $post, $put['bin'] ) );
	}

	/**
	 * Returns a post in the bin that the user may restore.
	 *
	 * @param WP_Post_Type $type The type.
	 * @param int          $uid  The id.
	 * @throws AIC_Refusal When the post is not in the bin, or may not be restored.
	 */
	private static function restorable( WP_Post_Type $type, int $uid ): WP_Post {
		AIC_Refusal::when( AIC_Record::post( $type->name, $uid ), "The $type->name $uid is not in the bin." );
		$post   = $uid > 0 ? get_post( $uid ) : null;
		$is_bin = $post && $post->post_type === $type->name && 'trash' === $post->post_status;
		$may    = $is_bin && current_user_can( 'delete_post', $uid ) && current_user_can( 'edit_post', $uid );
		AIC_Refusal::when( ! $may, "There is no $type->name $uid." );
		AIC_Refusal::when( in_array( self::returning( $post )['status'], array( 'publish', 'private', 'future' ), true ) && ! current_user_can( $type->cap->publish_posts ), "It was public, and this user may not publish a $type->name." );
		AIC_Refusal::when( $post->post_parent > 0 && 'trash' === get_post_status( $post->post_parent ), 'The page above it is in the bin. Bring that back first.' );
		return $post;
	}

	/**
	 * Returns the record of a post in the bin, with the slug from before and without the status.
	 *
	 * @param array<string, mixed> $record The record.
	 * @param WP_Post              $post   The post.
	 * @return array<string, mixed>
	 */
	private static function record( array $record, WP_Post $post ): array {
		$record           = AIC_Record::with( $record, array( 'slug' => self::returning( $post )['slug'] ) );
		$record['fields'] = array_diff_key( $record['fields'], array( 'status' => true ) );
		return $record;
	}

	/**
	 * Returns the values that a post gets when it is restored from the bin.
	 *
	 * @param WP_Post $post The post.
	 * @return array{status: string, slug: string}
	 */
	private static function returning( WP_Post $post ): array {
		$status = (string) get_post_meta( $post->ID, '_wp_trash_meta_status', true ) ?: 'draft';
		$slugs  = get_post_meta( $post->ID, '_wp_desired_post_slug' );
		$is_due = strtotime( "$post->post_date_gmt UTC" ) < time() + MINUTE_IN_SECONDS;
		return array(
			'status' => 'future' === $status && $is_due ? 'publish' : $status,
			'slug'   => (string) ( $slugs[0] ?? $post->post_name ),
		);
	}

	/**
	 * Moves a post to the bin, or restores it with its earlier state. Returns its id.
	 *
	 * @param WP_Post $post The post.
	 * @param bool    $goes True to move it to the bin.
	 * @throws AIC_Refusal When WordPress refuses.
	 */
	public static function move( WP_Post $post, bool $goes ): int {
		add_filter( 'wp_untrash_post_status', 'wp_untrash_post_set_previous_status', 10, 3 );
		$slug    = self::returning( $post )['slug'];
		$is_done = AIC_Writer::keeping_terms( $post, static fn() => $goes ? wp_trash_post( $post->ID ) : wp_untrash_post( $post->ID ) );
		remove_filter( 'wp_untrash_post_status', 'wp_untrash_post_set_previous_status', 10 );
		if ( $is_done && ! $goes && '' === $slug ) {
			// WordPress leaves the slug of the bin on a restored post without an earlier slug; this call removes it.
			wp_update_post( array( 'ID' => $post->ID, 'post_name' => '' ) );
		}
		return $is_done ? $post->ID : throw new AIC_Refusal( 'WordPress refused it.' );
	}
}
