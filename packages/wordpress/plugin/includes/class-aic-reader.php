<?php
/**
 * The reading operations.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

use BackendAiChat\Records;

/**
 * The operations that read records and pages, as the current user.
 */
final class AIC_Reader {

	/**
	 * The number of posts that one database query reads. WordPress checks the right to read only post by post, so
	 * further queries follow until enough readable posts are found.
	 */
	private const PORTION = 200;

	/**
	 * The maximum number of comments in a list, and of pages in a tree.
	 */
	public const MOST = 5_000;

	/**
	 * Returns the records that contain a text in one of their fields, newest change first.
	 *
	 * @param string      $text  The text.
	 * @param string|null $table The type; null for all types.
	 * @param int         $limit The maximum number.
	 * @return array<int, array<string, mixed>>
	 */
	public static function search( string $text, ?string $table, int $limit ): array {
		if ( AIC_Types::COMMENT === $table ) {
			// WordPress also searches the mail and network address of the author, which few users may see.
			$words = static fn( array $of ) => remove_accents( $of['fields']['author'] . "\n" . $of['fields']['content'] );
			$has   = static fn( array $of ) => false !== mb_stripos( $words( $of ), remove_accents( $text ) );
			return array_slice( array_filter( self::comments( array( 'search' => $text ) ), $has ), 0, $limit );
		}
		// A word that begins with a hyphen is a word to find, and excludes no record.
		add_filter( 'wp_query_search_exclusion_prefix', '__return_empty_string' );
		$types = $table ?? array_keys( AIC_Types::all() );
		$order = array( 'orderby' => array( 'modified' => 'DESC', 'ID' => 'DESC' ) );
		$found = self::readable( $types, $order + array( 's' => $text ), $limit );
		$other = self::named( $text );
		if ( $other ) {
			// WordPress finds no post by its slug or by the alternative text of a picture.
			$found = array_merge( $found, self::readable( $types, $order + array( 'post__in' => $other ), $limit ) );
			$found = $found ? self::readable( $types, $order + array( 'post__in' => $found ), $limit ) : array();
		}
		return self::records( array_slice( $found, 0, $limit ) );
	}

	/**
	 * Returns the ids of posts with every word of a text in slug or alternative text, the last changed first.
	 *
	 * @param string $text The text.
	 * @return array<int, int>
	 */
	private static function named( string $text ): array {
		global $wpdb;
		$where = "p.post_type <> 'revision'";
		foreach ( preg_split( '/\s+/', $text, -1, PREG_SPLIT_NO_EMPTY ) as $word ) {
			$like   = '%' . $wpdb->esc_like( $word ) . '%';
			$where .= $wpdb->prepare( ' AND ( p.post_name LIKE %s OR m.meta_value LIKE %s )', $like, $like );
		}
		// phpcs:ignore WordPress.DB -- Each word of the condition is prepared.
		$ids = $wpdb->get_col( "SELECT p.ID FROM $wpdb->posts p LEFT JOIN $wpdb->postmeta m ON m.post_id = p.ID AND m.meta_key = '_wp_attachment_image_alt' WHERE $where ORDER BY p.post_modified DESC LIMIT " . self::MOST );
		return array_map( 'intval', $ids );
	}

	/**
	 * Returns a part of the records of a type, in the order of their ids.
	 *
	 * @param string   $table  The type.
	 * @param int|null $page   The parent post of the records; null for any post.
	 * @param int      $limit  The maximum number.
	 * @param int      $offset The number of records to skip.
	 * @return array{records: array<int, array<string, mixed>>, total: int}|null
	 */
	public static function list( string $table, ?int $page, int $limit, int $offset ): ?array {
		if ( AIC_Types::COMMENT === $table ) {
			$all = self::comments( array( 'order' => 'ASC', 'post_id' => (int) $page ) );
			return array( 'records' => array_slice( $all, $offset, $limit ), 'total' => count( $all ) );
		}
		if ( ! AIC_Types::find( $table ) ) {
			return null;
		}
		$query = array( 'orderby' => array( 'ID' => 'ASC' ) ) + ( null === $page ? array() : array( 'post_parent' => $page ) );
		$all   = self::readable( $table, $query, PHP_INT_MAX );
		return array( 'records' => self::records( array_slice( $all, $offset, $limit ) ), 'total' => count( $all ) );
	}

	/**
	 * Returns one record; null if the user sees no such record.
	 *
	 * @param string      $table    The type.
	 * @param int         $uid      The id.
	 * @param string|null $revision The revision whose content replaces the current fields; null for the current
	 * content.
	 * @return array<string, mixed>|null
	 */
	public static function record( string $table, int $uid, ?string $revision = null ): ?array {
		if ( AIC_Types::COMMENT === $table ) {
			return self::comments( array( 'comment__in' => array( $uid ) ) )[0] ?? null;
		}
		$post = AIC_Record::post( $table, $uid );
		if ( ! $post || null === $revision ) {
			return $post ? AIC_Record::of( $post ) : null;
		}
		$content = AIC_History::content( $post, $revision );
		return null === $content ? null : array( 'fields' => $content ) + AIC_Record::of( $post );
	}

	/**
	 * Returns posts in all states but the unseen ones, without a check of the right to read.
	 *
	 * @param string|array<int, string> $types Their types.
	 * @param array<string, mixed>      $query The query.
	 * @return array<int, WP_Post>
	 */
	public static function posts( $types, array $query ): array {
		return get_posts(
			$query + array(
				'post_type'        => $types,
				'post_status'      => array_diff( get_post_stati(), AIC_Record::UNSEEN ),
				'suppress_filters' => true,
			)
		);
	}

	/**
	 * Returns the ids of the posts of a query that the current user may read; each post is checked, whatever the query
	 * allows.
	 *
	 * @param string|array<int, string> $types Their types.
	 * @param array<string, mixed>      $query The query.
	 * @param int                       $most  The number of posts after which the search ends.
	 * @return array<int, int>
	 */
	private static function readable( $types, array $query, int $most ): array {
		$found = array();
		for ( $page = 1; count( $found ) < $most; $page++ ) {
			$posts = self::posts( $types, $query + array( 'posts_per_page' => self::PORTION, 'paged' => $page ) );
			array_push( $found, ...array_column( array_filter( $posts, array( 'AIC_Record', 'may_read' ) ), 'ID' ) );
			if ( count( $posts ) < self::PORTION ) {
				break;
			}
			// WordPress keeps each post in memory, and all posts of a large site would need more memory than PHP has.
			wp_cache_supports( 'flush_runtime' ) && wp_cache_flush_runtime();
		}
		return $found;
	}

	/**
	 * Returns the records of posts.
	 *
	 * @param array<int, int> $ids The ids of the posts.
	 * @return array<int, array<string, mixed>>
	 */
	private static function records( array $ids ): array {
		_prime_post_caches( $ids );
		return array_map( static fn( int $id ) => AIC_Record::of( get_post( $id ) ), $ids );
	}

	/**
	 * Returns the records of comments by visitors.
	 *
	 * @param array<string, mixed> $query The query.
	 * @return array<int, array<string, mixed>>
	 */
	private static function comments( array $query ): array {
		$query += array( 'type' => 'comment', 'status' => 'all', 'orderby' => 'comment_ID', 'number' => self::MOST );
		return array_values( array_filter( array_map( array( 'AIC_Record', 'of_comment' ), get_comments( $query ) ) ) );
	}

	/**
	 * Returns a page, or a post of another type.
	 *
	 * @param int $uid The id of the post.
	 * @return array<string, mixed>|null
	 */
	public static function page( int $uid ): ?array {
		$post = AIC_Record::post( null, $uid );
		if ( ! $post ) {
			return null;
		}
		$above  = array_map( static fn( $id ) => AIC_Record::post( null, $id ), array_reverse( get_post_ancestors( $post ) ) );
		$named  = static fn( WP_Post $step ) => array( 'uid' => $step->ID, 'title' => AIC_Record::title( $step ) );
		$editor = get_userdata( (int) get_post_meta( $uid, '_edit_last', true ) );
		return AIC_Record::head( $post ) + array(
			'slug'      => wp_make_link_relative( (string) get_permalink( $post ) ),
			'parent'    => (int) $post->post_parent,
			'path'      => array_map( $named, array_values( array_filter( array( ...$above, $post ) ) ) ),
			'changedBy' => $editor ? $editor->display_name : null,
		);
	}

	/**
	 * Returns the pages below a page, depth first.
	 *
	 * @param int $root  The id of the page; 0 for the whole site.
	 * @param int $depth The number of levels below the root.
	 * @param int $limit The maximum number.
	 * @return array<int, array<string, mixed>>
	 */
	public static function tree( int $root, int $depth, int $limit ): array {
		if ( $root > 0 && ! AIC_Record::post( 'page', $root ) ) {
			return array();
		}
		$order = array( 'menu_order' => 'ASC', 'title' => 'ASC' );
		$pages = self::posts( 'page', array( 'posts_per_page' => self::MOST, 'orderby' => $order ) );
		$shown = static fn( WP_Post $page ) => array(
			'uid'    => $page->ID,
			'pid'    => $page->post_parent,
			'title'  => AIC_Record::title( $page ),
			'hidden' => 'publish' !== $page->post_status,
		);
		$tree  = Records::treeOf( array_map( $shown, array_filter( $pages, array( 'AIC_Record', 'may_read' ) ) ), $root, $depth, $limit );
		return array_map( static fn( array $page ) => $page + array( 'mayEdit' => current_user_can( 'edit_post', $page['uid'] ) ), $tree );
	}

	/**
	 * Returns the content of a page: the post itself, because its content field contains the blocks.
	 *
	 * @param int $uid The id of the post.
	 * @return array<int, array<string, mixed>>|null
	 */
	public static function content( int $uid ): ?array {
		$post = AIC_Record::post( null, $uid );
		return $post ? array( AIC_Record::of( $post ) ) : null;
	}
}
