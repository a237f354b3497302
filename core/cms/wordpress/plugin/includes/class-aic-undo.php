<?php
/**
 * Taking back.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Takes back the writes of a turn: for each record all of them, or none where a person has changed it since.
 */
final class AIC_Undo {

	/**
	 * How many writes of a run are still there to take back.
	 *
	 * @param string $run The run.
	 */
	public static function count( string $run ): int {
		return count( AIC_Store::writes_of( $run, get_current_user_id() ) );
	}

	/**
	 * Takes back the writes of a run.
	 *
	 * @param string                               $run  The run.
	 * @param array{table: string, uid: int}|null $only The only record to take back; null: all.
	 * @return array{undone: array<int, array<string, mixed>>, conflicts: array<int, array<string, mixed>>}
	 */
	public static function of( string $run, ?array $only = null ): array {
		$by_post = array();
		foreach ( AIC_Store::writes_of( $run, get_current_user_id() ) as $write ) {
			$by_post[ (int) $write->post_id ][] = $write;
		}
		$undone    = array();
		$conflicts = array();
		foreach ( $by_post as $post_id => $writes ) {
			$place  = array(
				'table' => $writes[0]->post_type,
				'uid'   => $post_id,
			);
			if ( null !== $only && $only !== $place ) {
				continue;
			}
			$reason = AIC_Store::transact( static fn() => self::take_back( $run, $post_id, $writes ) );
			if ( null === $reason ) {
				$undone[] = $place;
			} else {
				$conflicts[] = $place + array( 'reason' => $reason );
			}
		}
		return compact( 'undone', 'conflicts' );
	}

	/**
	 * Takes back the writes of one post.
	 *
	 * @param string             $run     The run.
	 * @param int                $post_id The post.
	 * @param array<int, object> $writes  Its writes, the newest first.
	 * @return string|null Why it was not done; null: it was.
	 */
	private static function take_back( string $run, int $post_id, array $writes ): ?string {
		AIC_Store::lock_post( $post_id );
		$post = get_post( $post_id );
		$moves = array_values( array_filter( array_column( $writes, 'kind' ), static fn( $kind ) => in_array( $kind, array( 'delete', 'undelete' ), true ) ) );
		if ( ! $post || ( 'trash' === $post->post_status && 'delete' !== ( $moves[0] ?? '' ) ) ) {
			return __( 'It is not there any more.', 'backend-ai-chat' );
		}
		if ( AIC_Record::version( $post ) !== $writes[0]->version ) {
			return __( 'It was changed since.', 'backend-ai-chat' );
		}
		$is_new = 'create' === end( $writes )->kind;
		if ( ! current_user_can( $is_new || $moves ? 'delete_post' : 'edit_post', $post_id ) ) {
			return __( 'You may not change it any more.', 'backend-ai-chat' );
		}
		$goes = $is_new || 'undelete' === end( $moves );
		$is_back = 'trash' === $post->post_status && ! $goes;
		if ( $is_back || ( $goes && ! $is_new && 'trash' !== $post->post_status ) ) {
			try {
				AIC_Bin::post( get_post_type_object( $post->post_type ), array( 'kind' => $is_back ? 'undelete' : 'delete', 'table' => $post->post_type, 'uid' => $post_id ) );
			} catch ( AIC_Refusal $refusal ) {
				return $refusal->getMessage();
			}
		}
		if ( $is_back ) {
			AIC_Bin::move( $post, 'undelete' );
			$post = get_post( $post_id );
		}
		if ( ! $is_new ) {
			self::put_back( $post, $writes, $run );
		}
		if ( $goes && 'trash' !== $post->post_status ) {
			AIC_Bin::move( $post, 'delete' );
		}
		clean_post_cache( $post_id );
		AIC_Store::mark_undone( $run, $post_id, end( $writes )->version_before, AIC_Record::version( get_post( $post_id ) ) );
		return null;
	}

	/**
	 * Stores the values that were there before the writes.
	 *
	 * @param WP_Post            $post   The post.
	 * @param array<int, object> $writes Its writes, the newest first.
	 * @param string             $run    The run.
	 */
	private static function put_back( WP_Post $post, array $writes, string $run ): void {
		$before = array();
		foreach ( $writes as $write ) {
			// The oldest write comes last, and its values are those that were there before the turn.
			$before = array_merge( $before, (array) json_decode( (string) $write->before_values, true ) );
		}
		if ( $before ) {
			AIC_Writer::store( get_post_type_object( $post->post_type ), $post, $before );
			AIC_History::mark( $post->ID, $run );
		}
	}
}
