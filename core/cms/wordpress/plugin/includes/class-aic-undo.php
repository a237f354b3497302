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
		if ( ! $post || 'trash' === $post->post_status ) {
			return __( 'It is not there any more.', 'backend-ai-chat' );
		}
		if ( AIC_Record::version( $post ) !== $writes[0]->version ) {
			return __( 'It was changed since.', 'backend-ai-chat' );
		}
		$is_new = 'create' === end( $writes )->kind;
		if ( ! current_user_can( $is_new ? 'delete_post' : 'edit_post', $post_id ) ) {
			return __( 'You may not change it any more.', 'backend-ai-chat' );
		}
		if ( $is_new ) {
			wp_trash_post( $post_id );
		} else {
			$before = array();
			foreach ( $writes as $write ) {
				// The oldest write comes last, and its values are those that were there before the turn.
				$before = array_merge( $before, (array) json_decode( (string) $write->before_values, true ) );
			}
			AIC_Writer::store( get_post_type_object( $post->post_type ), $post, $before );
			AIC_History::mark( $post_id, $run );
		}
		clean_post_cache( $post_id );
		AIC_Store::mark_undone( $run, $post_id, end( $writes )->version_before, AIC_Record::version( get_post( $post_id ) ) );
		return null;
	}
}
