<?php
/**
 * A post as a record of the protocol.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * The record of a post, as the current user may read it.
 */
final class AIC_Record {

	/**
	 * The states of posts that nobody sees here.
	 */
	public const UNSEEN = array( 'auto-draft', 'trash' );

	/**
	 * Returns the post if the current user may see it; else null.
	 *
	 * @param string|null $table The type; null for any type.
	 * @param int         $uid   The id.
	 */
	public static function post( ?string $table, int $uid ): ?WP_Post {
		$post = $uid > 0 ? get_post( $uid ) : null;
		return $post && ( $table ?? $post->post_type ) === $post->post_type && self::may_read( $post ) ? $post : null;
	}

	/**
	 * True if the current user may see a post.
	 *
	 * @param WP_Post $post The post.
	 */
	public static function may_read( WP_Post $post ): bool {
		return AIC_Types::find( $post->post_type )
			&& ! in_array( $post->post_status, self::UNSEEN, true )
			&& ( ! post_password_required( $post ) || current_user_can( 'edit_post', $post->ID ) )
			&& current_user_can( 'read_post', $post->ID );
	}

	/**
	 * Returns the record of a post.
	 *
	 * @param WP_Post $post The post.
	 * @return array<string, mixed>
	 */
	public static function of( WP_Post $post ): array {
		return self::head( $post ) + array(
			'table'   => $post->post_type,
			'pid'     => (int) $post->post_parent,
			'fields'  => self::values( $post ),
			'version' => self::version( $post ),
		) + array_filter( array( 'copyRefusal' => AIC_Builder::refusal( $post ) ) );
	}

	/**
	 * Returns the members of a post that are the same in a record and in a page.
	 *
	 * @param WP_Post $post The post.
	 * @return array<string, mixed>
	 */
	public static function head( WP_Post $post ): array {
		return array(
			'uid'       => $post->ID,
			'title'     => self::title( $post ),
			'hidden'    => ! in_array( $post->post_status, array( 'publish', 'inherit' ), true ),
			'language'  => 0,
			'addresses' => self::addresses( $post ),
			// WordPress stores no time in UTC for a draft that a program made.
			'changedAt' => self::time( get_gmt_from_date( $post->post_modified ) ),
			'mayEdit'   => current_user_can( 'edit_post', $post->ID ),
		);
	}

	/**
	 * Returns a record with other values.
	 *
	 * @param array<string, mixed> $record The record.
	 * @param array<string, mixed> $values Values by field.
	 * @return array<string, mixed>
	 */
	public static function with( array $record, array $values ): array {
		$fields = array_merge( $record['fields'], $values );
		$title  = $fields['title'] ?? '';
		$more   = array(
			'pid'    => $fields['parent'] ?? $record['pid'],
			'title'  => '' === $title ? "[{$record['uid']}]" : $title,
			'hidden' => isset( $fields['status'] ) ? 'publish' !== $fields['status'] : $record['hidden'],
			'fields' => $fields,
		);
		return array_merge( $record, $more );
	}

	/**
	 * Returns a new post that is not stored.
	 *
	 * @param WP_Post_Type $type The type.
	 */
	public static function blank( WP_Post_Type $type ): WP_Post {
		$row = array( 'ID' => 0, 'post_type' => $type->name, 'post_status' => 'draft', 'post_author' => get_current_user_id() );
		return new WP_Post( (object) ( $row + array( 'post_modified' => current_time( 'mysql' ) ) ) );
	}

	/**
	 * Returns the paths at which visitors open a post, its permalink first; for an attachment also the path of the
	 * file.
	 *
	 * @param WP_Post $post The post.
	 * @return array<int, string>
	 */
	public static function addresses( WP_Post $post ): array {
		if ( 0 === $post->ID || ! is_post_type_viewable( $post->post_type ) ) {
			return array();
		}
		$name  = array( 'page' => 'page_id', 'attachment' => 'attachment_id' )[ $post->post_type ] ?? 'p';
		$found = array( get_permalink( $post ), add_query_arg( $name, $post->ID, home_url( '/' ) ), 'attachment' === $post->post_type ? wp_get_attachment_url( $post->ID ) : '' );
		return array_values( array_unique( array_map( 'wp_make_link_relative', array_filter( $found ) ) ) );
	}

	/**
	 * Returns the values of a post by field.
	 *
	 * @param WP_Post $post The post.
	 * @return array<string, mixed>
	 */
	public static function values( WP_Post $post ): array {
		$values = array();
		foreach ( AIC_Types::fields( get_post_type_object( $post->post_type ) ) as $name => $field ) {
			// Only users who may edit a post may read the fields of other plugins. Protected meta, such as keys with a
			// leading underscore, needs the right to edit it.
			$is_theirs = str_starts_with( $name, 'meta.' ) && is_protected_meta( $field['meta'], 'post' );
			$may       = isset( $field['from'] ) ? current_user_can( 'edit_post', $post->ID ) : ! $is_theirs || current_user_can( 'edit_post_meta', $post->ID, $field['meta'] );
			if ( $may ) {
				$values[ $name ] = self::value( $post, $field );
			}
		}
		return $values;
	}

	/**
	 * Returns the stored value of a field.
	 *
	 * @param WP_Post              $post  The post.
	 * @param array<string, mixed> $field The field.
	 * @return mixed
	 */
	private static function value( WP_Post $post, array $field ) {
		return match ( $field['name'] ) {
			'date'           => self::date( $post ),
			'featured_media' => (int) get_post_thumbnail_id( $post ),
			'author'         => (string) get_the_author_meta( 'display_name', (int) $post->post_author ),
			'alt'            => (string) get_post_meta( $post->ID, $field['meta'], true ),
			'url'            => (string) wp_get_attachment_url( $post->ID ),
			AIC_Builder::FIELD => AIC_Builder::of( $post ),
			default          => match ( true ) {
				isset( $field['from'] )   => AIC_Meta::value( $post->ID, $field ),
				isset( $field['column'] ) => $post->{ $field['column'] },
				isset( $field['meta'] )   => self::meta( $post, $field['meta'] ),
				default                   => self::terms( $post->ID, $field['name'] ),
			},
		};
	}

	/**
	 * Returns the date of a post; null for a draft that gets its date when it is published.
	 *
	 * @param WP_Post $post The post.
	 */
	public static function date( WP_Post $post ): ?string {
		return '0000-00-00 00:00:00' === $post->post_date_gmt ? null : self::time( $post->post_date_gmt );
	}

	/**
	 * Converts a stored value of meta from text to its registered type. Returns null if no value is stored.
	 *
	 * @param WP_Post $post The post.
	 * @param string  $key  The key of the meta.
	 * @return mixed
	 */
	private static function meta( WP_Post $post, string $key ) {
		$stored = get_post_meta( $post->ID, $key, true );
		if ( '' === $stored && ! metadata_exists( 'post', $post->ID, $key ) ) {
			return null;
		}
		return is_scalar( $stored ) ? rest_sanitize_value_from_schema( $stored, array( 'type' => AIC_Types::meta( $post->post_type )[ $key ]['type'] ) ) : $stored;
	}

	/**
	 * Returns the slugs of the terms of a post, sorted.
	 *
	 * @param int    $post_id  The post.
	 * @param string $taxonomy The taxonomy.
	 * @return array<int, string>
	 */
	private static function terms( int $post_id, string $taxonomy ): array {
		$terms = get_the_terms( $post_id, $taxonomy );
		$slugs = is_array( $terms ) ? wp_list_pluck( $terms, 'slug' ) : array();
		sort( $slugs );
		return $slugs;
	}

	/**
	 * Returns a text that differs after every stored change of a post, by any user.
	 *
	 * @param WP_Post $post The post.
	 */
	public static function version( WP_Post $post ): string {
		$stored = array( $post->post_title, $post->post_content, $post->post_excerpt, $post->post_name, $post->post_status, $post->post_date_gmt, $post->post_parent, $post->menu_order, $post->post_author, $post->post_password, $post->post_modified_gmt );
		foreach ( array_keys( AIC_Types::taxonomies( $post->post_type ) ) as $taxonomy ) {
			$stored[] = self::terms( $post->ID, $taxonomy );
		}
		foreach ( array( '_thumbnail_id', '_wp_attachment_image_alt', '_wp_attached_file', ...array_keys( AIC_Types::meta( $post->post_type ) ), ...array_column( AIC_Meta::fields( $post->post_type ), 'meta' ) ) as $key ) {
			$stored[] = get_post_meta( $post->ID, (string) $key );
		}
		return substr( hash( 'sha256', (string) wp_json_encode( $stored ) ), 0, 32 );
	}

	/**
	 * Returns the title of a post for people.
	 *
	 * @param WP_Post $post The post.
	 */
	public static function title( WP_Post $post ): string {
		return '' !== $post->post_title ? $post->post_title : "[$post->ID]";
	}

	/**
	 * Returns a time of the database as ISO 8601 in UTC; 1970 for none, which the database has as the year 0.
	 *
	 * @param string $gmt The time as `YYYY-MM-DD HH:MM:SS`.
	 */
	public static function time( string $gmt ): string {
		$is_time = preg_match( '/^[1-9]/', $gmt );
		return gmdate( 'Y-m-d\TH:i:s.000\Z', $is_time ? (int) strtotime( "$gmt UTC" ) : 0 );
	}

	/**
	 * Returns the record of a comment; null if the user may not see it.
	 *
	 * @param WP_Comment $comment The comment.
	 * @return array<string, mixed>|null
	 */
	public static function of_comment( WP_Comment $comment ): ?array {
		$post        = self::post( null, (int) $comment->comment_post_ID );
		$is_approved = '1' === $comment->comment_approved;
		$is_theirs   = $is_approved || current_user_can( 'edit_comment', (int) $comment->comment_ID );
		if ( ! $post || ! $is_theirs || ! in_array( $comment->comment_type, array( '', 'comment' ), true ) ) {
			return null;
		}
		$fields = array(
			'author'  => $comment->comment_author,
			'content' => $comment->comment_content,
			'status'  => $is_approved ? 'approved' : ( '0' === $comment->comment_approved ? 'hold' : $comment->comment_approved ),
			'date'    => self::time( $comment->comment_date_gmt ),
		);
		return array(
			'table'     => AIC_Types::COMMENT,
			'uid'       => (int) $comment->comment_ID,
			'pid'       => $post->ID,
			'title'     => wp_html_excerpt( $comment->comment_content, 60, '…' ),
			'hidden'    => ! $is_approved,
			'language'  => 0,
			'fields'    => $fields,
			'addresses' => array(),
			'changedAt' => $fields['date'],
			'version'   => substr( hash( 'sha256', (string) wp_json_encode( $fields ) ), 0, 32 ),
			'mayEdit'   => false,
		);
	}
}
