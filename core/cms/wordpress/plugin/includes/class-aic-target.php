<?php
/**
 * What a write is about.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * The type and the posts that a write names, where the current user may write there.
 */
final class AIC_Target {

	/**
	 * The type of a write.
	 *
	 * @param array<string, mixed> $write The write.
	 * @throws AIC_Refusal When there is none, or the user may not use it.
	 */
	public static function type( array $write ): WP_Post_Type {
		$type = AIC_Types::find( $write['table'] );
		if ( ! $type ) {
			throw AIC_Refusal::for_model( "There is no type {$write['table']} that can be changed." );
		}
		$may_create = 'attachment' !== $type->name && current_user_can( $type->cap->create_posts );
		if ( 'create' === $write['kind'] && ! $may_create ) {
			throw AIC_Refusal::for_model( "This user may not make a $type->name." );
		}
		return $type;
	}

	/**
	 * The post that a write changes; null: it makes one.
	 *
	 * @param WP_Post_Type         $type  The type.
	 * @param array<string, mixed> $write The write.
	 * @throws AIC_Refusal When it is not there, may not be changed, or another person has it open.
	 */
	public static function post( WP_Post_Type $type, array $write ): ?WP_Post {
		if ( 'create' === $write['kind'] ) {
			return null;
		}
		$post = AIC_Record::post( $type->name, (int) $write['uid'] );
		if ( ! $post ) {
			throw AIC_Refusal::for_model( "There is no $type->name {$write['uid']}." );
		}
		if ( ! current_user_can( 'edit_post', $post->ID ) ) {
			throw AIC_Refusal::for_model( "This user may not change $type->name $post->ID." );
		}
		require_once ABSPATH . 'wp-admin/includes/post.php';
		$holder = wp_check_post_lock( $post->ID );
		if ( $holder ) {
			$name = get_the_author_meta( 'display_name', (int) $holder );
			throw AIC_Refusal::for_model( "$name has this $type->name open and is editing it. Ask again when they are done." );
		}
		return $post;
	}

	/**
	 * The post that a new one lies below; null: none.
	 *
	 * @param WP_Post_Type         $type  The type.
	 * @param array<string, mixed> $write The write.
	 * @throws AIC_Refusal When it is not there.
	 */
	public static function above( WP_Post_Type $type, array $write ): ?WP_Post {
		$parent = (int) $write['pid'];
		if ( 0 === $parent || ! $type->hierarchical ) {
			return null;
		}
		$above = AIC_Record::post( $type->name, $parent );
		if ( ! $above ) {
			throw AIC_Refusal::for_model( "There is no $type->name $parent." );
		}
		return $above;
	}
}
