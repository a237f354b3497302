<?php
/**
 * The bin.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Puts posts into WordPress's own bin and brings them back; nothing is ever deleted for good.
 */
final class AIC_Bin {

	/**
	 * The types whose posts go to the bin: none where the site has switched it off.
	 *
	 * @return array<int, string>
	 */
	public static function types(): array {
		if ( ! EMPTY_TRASH_DAYS ) {
			return array();
		}
		$names = array_keys( AIC_Types::all() );
		return array_values( defined( 'MEDIA_TRASH' ) && MEDIA_TRASH ? $names : array_diff( $names, array( 'attachment' ) ) );
	}

	/**
	 * Whether a write is about the bin.
	 *
	 * @param array<string, mixed> $write The write.
	 */
	public static function has( array $write ): bool {
		return in_array( $write['kind'], array( 'delete', 'undelete' ), true );
	}

	/**
	 * The post of such a write, where the current user may delete it and nothing is lost with it.
	 *
	 * @param WP_Post_Type         $type  The type.
	 * @param array<string, mixed> $write The write.
	 * @throws AIC_Refusal When it is not there, or may not go or come.
	 */
	public static function post( WP_Post_Type $type, array $write ): WP_Post {
		if ( ! in_array( $type->name, self::types(), true ) ) {
			throw AIC_Refusal::for_model( "A $type->name has no bin, and nothing is deleted for good." );
		}
		return 'delete' === $write['kind'] ? self::going( $type, $write ) : self::coming( $type, (int) $write['uid'] );
	}

	/**
	 * The post that goes to the bin.
	 *
	 * @param WP_Post_Type         $type  The type.
	 * @param array<string, mixed> $write The write.
	 * @throws AIC_Refusal When it may not.
	 */
	private static function going( WP_Post_Type $type, array $write ): WP_Post {
		$post = AIC_Target::post( $type, $write );
		if ( ! current_user_can( 'delete_post', $post->ID ) ) {
			throw AIC_Refusal::for_model( "This user may not delete $type->name $post->ID." );
		}
		if ( in_array( $post->ID, array( (int) get_option( 'page_on_front' ), (int) get_option( 'page_for_posts' ) ), true ) ) {
			throw AIC_Refusal::for_model( 'The site begins with this page: choose another one in its settings first.' );
		}
		$below = array(
			'post_type'        => $type->name,
			'post_parent'      => $post->ID,
			'post_status'      => array( 'publish', 'private', 'draft', 'pending', 'future' ),
			'numberposts'      => 1,
			'suppress_filters' => true,
		);
		if ( $type->hierarchical && get_posts( $below ) ) {
			throw AIC_Refusal::for_model( 'There are pages below this page. Delete or move them first.' );
		}
		return $post;
	}

	/**
	 * The post that comes out of the bin.
	 *
	 * @param WP_Post_Type $type The type.
	 * @param int          $uid  Its id.
	 * @throws AIC_Refusal When it is not in the bin, or may not come.
	 */
	private static function coming( WP_Post_Type $type, int $uid ): WP_Post {
		$post = $uid > 0 ? get_post( $uid ) : null;
		if ( $post && $post->post_type === $type->name && AIC_Record::may_read( $post ) ) {
			throw AIC_Refusal::for_model( "The $type->name $uid is not in the bin." );
		}
		$is_there = $post && $post->post_type === $type->name && 'trash' === $post->post_status;
		if ( ! $is_there || ! current_user_can( 'delete_post', $uid ) || ! current_user_can( 'edit_post', $uid ) ) {
			throw AIC_Refusal::for_model( "There is no $type->name $uid." );
		}
		if ( in_array( self::state( $post ), array( 'publish', 'private', 'future' ), true ) && ! current_user_can( $type->cap->publish_posts ) ) {
			throw AIC_Refusal::for_model( "It was public, and this user may not publish a $type->name." );
		}
		if ( $post->post_parent > 0 && 'trash' === get_post_status( $post->post_parent ) ) {
			throw AIC_Refusal::for_model( 'The page above it is in the bin. Bring that back first.' );
		}
		return $post;
	}

	/**
	 * The state in which a post was before it came to the bin, and to which it returns.
	 *
	 * @param WP_Post $post The post.
	 */
	private static function state( WP_Post $post ): string {
		$state = get_post_meta( $post->ID, '_wp_trash_meta_status', true );
		return is_string( $state ) && '' !== $state ? $state : 'draft';
	}

	/**
	 * What a person is shown of a write, and the post that it is about.
	 *
	 * @param WP_Post_Type         $type  The type.
	 * @param array<string, mixed> $write The write.
	 * @return array{0: WP_Post, 1: array<int, array<string, mixed>>}
	 */
	public static function preview( WP_Post_Type $type, array $write ): array {
		$post = self::post( $type, $write );
		if ( 'delete' === $write['kind'] ) {
			return array( $post, array_merge( array( self::line( 'deleted', __( 'Move to Trash' ), AIC_Record::title( $post ), null ) ), self::comments( $post ) ) );
		}
		$fields = AIC_Types::fields( $type );
		$lines  = array( self::line( 'deleted', __( 'Restore' ), null, AIC_Record::title( $post ) ) );
		if ( isset( $fields['status'] ) ) {
			$lines[] = self::line( 'status', $fields['status']['label'], null, self::state( $post ) );
		}
		return array( $post, $lines );
	}

	/**
	 * The comments that go along.
	 *
	 * @param WP_Post $post The post.
	 * @return array<int, array<string, mixed>>
	 */
	private static function comments( WP_Post $post ): array {
		$count = (int) get_comments_number( $post );
		return $count > 0 ? array( self::line( 'comments', __( 'Comments' ), (string) $count, null ) ) : array();
	}

	/**
	 * One line of a preview.
	 *
	 * @param string      $field  Its field.
	 * @param string      $label  What it is called.
	 * @param string|null $before What is there now.
	 * @param string|null $after  What is there then.
	 * @return array<string, string|null>
	 */
	private static function line( string $field, string $label, ?string $before, ?string $after ): array {
		return compact( 'field', 'label', 'before', 'after' );
	}

	/**
	 * Makes such a write.
	 *
	 * @param WP_Post $post The post.
	 * @param string  $kind `delete` or `undelete`.
	 * @throws AIC_Refusal When WordPress refuses.
	 */
	public static function move( WP_Post $post, string $kind ): void {
		add_filter( 'wp_untrash_post_status', 'wp_untrash_post_set_previous_status', 10, 3 );
		$is_done = 'delete' === $kind ? wp_trash_post( $post->ID ) : wp_untrash_post( $post->ID );
		remove_filter( 'wp_untrash_post_status', 'wp_untrash_post_set_previous_status', 10 );
		if ( ! $is_done ) {
			throw AIC_Refusal::for_model( 'WordPress refused it.' );
		}
		clean_post_cache( $post->ID );
	}
}
