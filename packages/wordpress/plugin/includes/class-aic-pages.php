<?php
/**
 * Pages.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * The operations that read pages and their tree, as the current user.
 */
final class AIC_Pages {

	/**
	 * A page, or any other post that is open.
	 *
	 * @param int $uid Id of the post.
	 * @return array<string, mixed>|null
	 */
	public static function one( int $uid ): ?array {
		$post = $uid > 0 ? get_post( $uid ) : null;
		if ( ! $post || ! AIC_Record::may_read( $post ) ) {
			return null;
		}
		$path = array();
		foreach ( array_reverse( get_post_ancestors( $post ) ) as $ancestor ) {
			$above = get_post( $ancestor );
			if ( $above && AIC_Record::may_read( $above ) ) {
				$path[] = self::step( $above );
			}
		}
		$editor = (int) get_post_meta( $post->ID, '_edit_last', true );
		$user   = $editor > 0 ? get_userdata( $editor ) : false;
		return AIC_Record::head( $post ) + array(
			'slug'      => wp_make_link_relative( (string) get_permalink( $post ) ),
			'parent'    => (int) $post->post_parent,
			'path'      => array( ...$path, self::step( $post ) ),
			'changedBy' => $user ? $user->display_name : null,
		);
	}

	/**
	 * A step of the path to a page.
	 *
	 * @param WP_Post $post The page.
	 * @return array{uid: int, title: string}
	 */
	private static function step( WP_Post $post ): array {
		return array( 'uid' => $post->ID, 'title' => AIC_Record::title( $post ) );
	}

	/**
	 * The pages below one, depth first.
	 *
	 * @param int $root  Id of the page; 0: the whole site.
	 * @param int $depth How deep.
	 * @param int $limit How many at most.
	 * @return array<int, array<string, mixed>>
	 */
	public static function tree( int $root, int $depth, int $limit ): array {
		if ( $root > 0 && ! AIC_Record::post( 'page', $root ) ) {
			return array();
		}
		$children = array();
		$order    = array( 'menu_order' => 'ASC', 'title' => 'ASC' );
		$pages    = AIC_Reader::posts( 'page', array( 'posts_per_page' => AIC_Reader::MOST, 'orderby' => $order ) );
		foreach ( array_filter( $pages, array( 'AIC_Record', 'may_read' ) ) as $page ) {
			$children[ (int) $page->post_parent ][] = $page;
		}
		$tree = array();
		$walk = static function ( int $parent, int $level ) use ( &$walk, &$tree, $children, $depth, $limit ): void {
			foreach ( $children[ $parent ] ?? array() as $page ) {
				if ( count( $tree ) >= $limit ) {
					return;
				}
				$tree[] = array(
					'uid'         => $page->ID,
					'title'       => AIC_Record::title( $page ),
					'parent'      => $parent,
					'depth'       => $level,
					'hidden'      => 'publish' !== $page->post_status,
					'hasChildren' => isset( $children[ $page->ID ] ),
					'mayEdit'     => current_user_can( 'edit_post', $page->ID ),
				);
				if ( $level < $depth ) {
					$walk( $page->ID, $level + 1 );
				}
			}
		};
		$walk( $root, 1 );
		return $tree;
	}

	/**
	 * The content of a page: the post itself, whose content is its blocks.
	 *
	 * @param int $uid Id of the post.
	 * @return array<int, array<string, mixed>>|null
	 */
	public static function content( int $uid ): ?array {
		$post = $uid > 0 ? get_post( $uid ) : null;
		return $post && AIC_Record::may_read( $post ) ? array( AIC_Record::of( $post ) ) : null;
	}
}
