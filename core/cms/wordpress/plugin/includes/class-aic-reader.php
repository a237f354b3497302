<?php
/**
 * Reading.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * The operations that read, as the current user.
 */
final class AIC_Reader {

	/**
	 * Records are asked of the database in portions, since rights are known of each one alone.
	 */
	private const PORTION = 200;

	/**
	 * A list goes through at most so many posts.
	 */
	private const MOST = 5_000;

	/**
	 * A page, or any other post that is open.
	 *
	 * @param int $uid Id of the post.
	 * @return array<string, mixed>|null
	 */
	public static function page( int $uid ): ?array {
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
		return array(
			'uid'       => $post->ID,
			'title'     => AIC_Record::title( $post ),
			'slug'      => wp_make_link_relative( (string) get_permalink( $post ) ),
			'parent'    => (int) $post->post_parent,
			'hidden'    => ! in_array( $post->post_status, array( 'publish', 'inherit' ), true ),
			'language'  => 0,
			'path'      => array( ...$path, self::step( $post ) ),
			'mayEdit'   => current_user_can( 'edit_post', $post->ID ),
			'changedAt' => AIC_Record::time( $post->post_modified_gmt ),
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
		return array(
			'uid'   => $post->ID,
			'title' => AIC_Record::title( $post ),
		);
	}

	/**
	 * The pages below one, depth first.
	 *
	 * @param int $root  Id of the page; 0: the whole site.
	 * @param int $depth How deep.
	 * @param int $limit How many at most.
	 * @return array<int, array<string, mixed>>
	 */
	public static function page_tree( int $root, int $depth, int $limit ): array {
		if ( $root > 0 && ! AIC_Record::post( 'page', $root ) ) {
			return array();
		}
		$children = array();
		$pages    = get_posts(
			array(
				'post_type'      => 'page',
				'post_status'    => array( 'publish', 'private', 'draft', 'pending', 'future' ),
				'posts_per_page' => self::MOST,
				'orderby'        => array(
					'menu_order' => 'ASC',
					'title'      => 'ASC',
				),
			)
		);
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
	 * What is on a page: the post itself, whose content is its blocks.
	 *
	 * @param int $uid Id of the post.
	 * @return array<int, array<string, mixed>>|null
	 */
	public static function page_content( int $uid ): ?array {
		$post = $uid > 0 ? get_post( $uid ) : null;
		return $post && AIC_Record::may_read( $post ) ? array( AIC_Record::of( $post ) ) : null;
	}

	/**
	 * Records with a text in one of their fields, the newest change first.
	 *
	 * @param string      $text  The text.
	 * @param string|null $table A type; null: all.
	 * @param int         $limit How many at most.
	 * @return array<int, array<string, mixed>>
	 */
	public static function search( string $text, ?string $table, int $limit ): array {
		if ( AIC_Types::COMMENT === $table ) {
			$comments = array_map( array( 'AIC_Record', 'of_comment' ), get_comments( self::of_comments( array( 'search' => $text ) ) ) );
			return array_slice( array_values( array_filter( $comments ) ), 0, $limit );
		}
		if ( null !== $table && ! AIC_Types::find( $table ) ) {
			return array();
		}
		$query = array(
			'post_type' => null === $table ? array_keys( AIC_Types::all() ) : $table,
			's'         => $text,
			'orderby'   => array(
				'modified' => 'DESC',
				'ID'       => 'DESC',
			),
		);
		return array_map( array( 'AIC_Record', 'of' ), array_slice( self::readable( $query, $limit ), 0, $limit ) );
	}

	/**
	 * A part of the records of a type, in the order of their ids.
	 *
	 * @param string   $table  The type.
	 * @param int|null $page   Post that the records belong to; null: any post.
	 * @param int      $limit  How many at most.
	 * @param int      $offset How many are left out first.
	 * @return array{records: array<int, array<string, mixed>>, total: int}|null
	 */
	public static function list( string $table, ?int $page, int $limit, int $offset ): ?array {
		if ( AIC_Types::COMMENT === $table ) {
			$query = self::of_comments( array( 'order' => 'ASC' ) + ( null === $page ? array() : array( 'post_id' => $page ) ) );
			$all   = array_values( array_filter( array_map( array( 'AIC_Record', 'of_comment' ), get_comments( $query ) ) ) );
			return array(
				'records' => array_slice( $all, $offset, $limit ),
				'total'   => count( $all ),
			);
		}
		if ( ! AIC_Types::find( $table ) ) {
			return null;
		}
		$query = array(
			'post_type' => $table,
			'orderby'   => array( 'ID' => 'ASC' ),
		);
		if ( null !== $page ) {
			$query['post_parent'] = $page;
		}
		$all = self::readable( $query, self::MOST );
		return array(
			'records' => array_map( array( 'AIC_Record', 'of' ), array_slice( $all, $offset, $limit ) ),
			'total'   => count( $all ),
		);
	}

	/**
	 * One record.
	 *
	 * @param string $table The type.
	 * @param int    $uid   The id.
	 * @return array<string, mixed>|null
	 */
	public static function record( string $table, int $uid ): ?array {
		if ( AIC_Types::COMMENT === $table ) {
			$comment = $uid > 0 ? get_comment( $uid ) : null;
			return $comment ? AIC_Record::of_comment( $comment ) : null;
		}
		$post = AIC_Record::post( $table, $uid );
		return $post ? AIC_Record::of( $post ) : null;
	}

	/**
	 * Posts of a query that the current user may read: each one is asked for, whatever the query allows.
	 *
	 * @param array<string, mixed> $query The query.
	 * @param int                  $most  How many at most.
	 * @return array<int, WP_Post>
	 */
	private static function readable( array $query, int $most ): array {
		$found = array();
		$seen  = 0;
		for ( $page = 1; $seen < self::MOST && count( $found ) < $most; $page++ ) {
			$posts = get_posts(
				$query + array(
					'post_status'      => array( 'publish', 'private', 'draft', 'pending', 'future', 'inherit' ),
					'posts_per_page'   => self::PORTION,
					'paged'            => $page,
					'suppress_filters' => true,
				)
			);
			$seen += count( $posts );
			array_push( $found, ...array_filter( $posts, array( 'AIC_Record', 'may_read' ) ) );
			if ( count( $posts ) < self::PORTION ) {
				break;
			}
		}
		return $found;
	}

	/**
	 * A query of comments that visitors wrote.
	 *
	 * @param array<string, mixed> $query What is asked for.
	 * @return array<string, mixed>
	 */
	private static function of_comments( array $query ): array {
		return $query + array(
			'type'    => 'comment',
			'status'  => 'all',
			'orderby' => 'comment_ID',
			'number'  => self::MOST,
		);
	}
}
