<?php
/**
 * The posts that a user may change.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Returns the post of a change, if the current user may make that change now.
 */
final class AIC_Target {

	/**
	 * Returns a post that the user may change.
	 *
	 * @param WP_Post_Type $type The type.
	 * @param int          $uid  The id.
	 * @throws AIC_Refusal When the post does not exist, may not be changed, or is open for another person.
	 */
	public static function editable( WP_Post_Type $type, int $uid ): WP_Post {
		$post = self::there( $type, $uid );
		AIC_Refusal::when( ! current_user_can( 'edit_post', $uid ), "This user may not change $type->name $uid." );
		require_once ABSPATH . 'wp-admin/includes/post.php';
		$holder = wp_check_post_lock( $uid );
		$name   = get_the_author_meta( 'display_name', (int) $holder );
		AIC_Refusal::when( $holder, "$name has this $type->name open and is editing it. Ask again when they are done." );
		return $post;
	}

	/**
	 * Returns the parent post of a new post; null for no parent.
	 *
	 * @param WP_Post_Type $type   The type of the new post.
	 * @param int          $parent The id of the parent; 0 for none.
	 * @throws AIC_Refusal When the parent does not exist, or the user may not create posts of this type.
	 */
	public static function above( WP_Post_Type $type, int $parent ): ?WP_Post {
		AIC_Refusal::when( 'attachment' === $type->name || ! current_user_can( $type->cap->create_posts ), "This user may not make a $type->name." );
		return $parent > 0 && $type->hierarchical ? self::there( $type, $parent ) : null;
	}

	/**
	 * Returns a post that the user may delete, if the deletion loses no other data.
	 *
	 * @param WP_Post_Type $type The type.
	 * @param int          $uid  The id.
	 * @throws AIC_Refusal When the post must not be deleted.
	 */
	public static function deletable( WP_Post_Type $type, int $uid ): WP_Post {
		$post = self::editable( $type, $uid );
		AIC_Refusal::when( ! current_user_can( 'delete_post', $uid ), "This user may not delete $type->name $uid." );
		AIC_Refusal::when( in_array( $uid, array( (int) get_option( 'page_on_front' ), (int) get_option( 'page_for_posts' ) ), true ), 'The site begins with this page: choose another one in its settings first.' );
		AIC_Refusal::when( $type->hierarchical && AIC_Reader::posts( $type->name, array( 'post_parent' => $uid, 'posts_per_page' => 1 ) ), 'There are pages below this page. Delete or move them first.' );
		return $post;
	}

	/**
	 * Returns a post that the user may see.
	 *
	 * @param WP_Post_Type $type The type.
	 * @param int          $uid  The id.
	 * @throws AIC_Refusal When the user sees no such post.
	 */
	private static function there( WP_Post_Type $type, int $uid ): WP_Post {
		$post = AIC_Record::post( $type->name, $uid );
		AIC_Refusal::when( ! $post, "There is no $type->name $uid." );
		return $post;
	}
}
