<?php
/**
 * The history of a record.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * WordPress's revisions as the history of the protocol, and their names in WordPress's own list.
 */
final class AIC_History {

	/**
	 * The meta key of a revision that the assistant made; its value is the run.
	 */
	public const RUN = '_aic_run';

	/**
	 * Returns the changes of a record, newest first; null if the user sees no such record.
	 *
	 * @param string $table The type.
	 * @param int    $uid   The id.
	 * @param int    $limit The maximum number.
	 * @return array<int, array<string, mixed>>|null
	 */
	public static function of( string $table, int $uid, int $limit ): ?array {
		$post = AIC_Record::post( $table, $uid );
		// Earlier states may contain unpublished text, so only users who may edit the record see them.
		if ( ! $post || ! current_user_can( 'edit_post', $uid ) ) {
			return AIC_Reader::record( $table, $uid ) ? array() : null;
		}
		// An autosave holds what a person typed and did not save.
		$revisions = array_values( array_filter( wp_get_post_revisions( $post, array( 'order' => 'DESC' ) ), static fn( WP_Post $one ) => ! wp_is_post_autosave( $one ) ) );
		$fields    = AIC_Types::fields( get_post_type_object( $table ) );
		$entries   = array();
		foreach ( array_slice( $revisions, 0, $limit ) as $at => $revision ) {
			$before    = $revisions[ $at + 1 ] ?? null;
			$entries[] = array(
				'at'            => AIC_Record::time( $revision->post_modified_gmt ),
				'user'          => (string) get_the_author_meta( 'display_name', (int) $revision->post_author ),
				'action'        => $before ? 'modify' : 'add',
				'changes'       => self::changes( $before, $revision, $fields ),
				'correlationId' => self::run_of( $revision->ID ),
				'revision'      => (string) $revision->ID,
			);
		}
		return $entries;
	}

	/**
	 * Returns the differences between two states.
	 *
	 * @param WP_Post|null                        $before The earlier state; null if there is none.
	 * @param WP_Post                             $after  The later state.
	 * @param array<string, array<string, mixed>> $fields Fields by name.
	 * @return array<int, array<string, mixed>>
	 */
	private static function changes( ?WP_Post $before, WP_Post $after, array $fields ): array {
		$changes = array();
		$earlier = $before ? self::kept( $before, $fields ) : array();
		foreach ( self::kept( $after, $fields ) as $name => $new ) {
			$old = $earlier[ $name ] ?? null;
			if ( $old !== $new ) {
				$changes[] = array( 'field' => $name, 'label' => $fields[ $name ]['label'], 'before' => $old, 'after' => $new );
			}
		}
		return $changes;
	}

	/**
	 * Returns the content of a post as a revision stores it. Returns null if the post has no such revision, or if the
	 * user may not edit the post.
	 *
	 * @param WP_Post $post The post.
	 * @param string  $id   The id of the revision.
	 * @return array<string, string>|null
	 */
	public static function content( WP_Post $post, string $id ): ?array {
		$number   = (int) $id;
		$revision = wp_get_post_revision( $number );
		$is_of    = $revision && ! wp_is_post_autosave( $revision ) && $revision->post_parent === $post->ID && (string) $revision->ID === $id;
		return $is_of && current_user_can( 'edit_post', $post->ID ) ? self::kept( $revision, AIC_Record::values( $post ) ) : null;
	}

	/**
	 * Returns the values of the given fields that a revision stores.
	 *
	 * @param WP_Post              $post   The revision.
	 * @param array<string, mixed> $fields An array whose keys are the names of the fields.
	 * @return array<string, string>
	 */
	private static function kept( WP_Post $post, array $fields ): array {
		$values = array( 'title' => $post->post_title, 'content' => $post->post_content, 'excerpt' => $post->post_excerpt );
		return array_intersect_key( $values, $fields );
	}

	/**
	 * Saves the state before a put as a revision of the user who made that state. WordPress saves a revision only after
	 * a change. Marks all revisions that this process makes from now on as made by the run.
	 *
	 * @param WP_Post|null $post The post before the put; null for a new post.
	 * @param string       $run  The run.
	 */
	public static function begin( ?WP_Post $post, string $run ): void {
		if ( $post ) {
			$maker = get_post_meta( $post->ID, '_edit_last', true ) ?: $post->post_author;
			$made  = static fn( array $columns ): array => array( 'post_author' => $maker ) + $columns;
			add_filter( 'wp_insert_post_data', $made );
			wp_save_post_revision( $post->ID );
			remove_filter( 'wp_insert_post_data', $made );
		}
		add_action( '_wp_put_post_revision', static fn( int $revision_id ) => update_metadata( 'post', $revision_id, self::RUN, $run ) );
	}

	/**
	 * Marks the revisions of the assistant in WordPress's own list of revisions.
	 *
	 * @param array<string, mixed> $data     The data of the list entry.
	 * @param WP_Post              $revision The revision.
	 * @return array<string, mixed>
	 */
	public static function name_revision( array $data, WP_Post $revision ): array {
		if ( null !== self::run_of( $revision->ID ) && isset( $data['author']['name'] ) ) {
			/* translators: %s: name of a user. */
			$data['author']['name'] = sprintf( __( '%s, through the assistant', 'backend-ai-chat' ), $data['author']['name'] );
		}
		return $data;
	}

	/**
	 * Returns the run that made a revision; null if a person made it.
	 *
	 * @param int $revision_id The revision.
	 */
	private static function run_of( int $revision_id ): ?string {
		return (string) get_metadata( 'post', $revision_id, self::RUN, true ) ?: null;
	}
}
