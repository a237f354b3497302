<?php
/**
 * The forms of wp-admin.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Prevents a form that was opened before a change of the assistant from overwriting the change silently. The form
 * contains the mark of the assistant's last change before the form was opened. If there is a newer change, the input of
 * the form is not saved.
 */
final class AIC_Forms {

	/**
	 * The meta key of a post with a mark that differs after each change of the assistant.
	 */
	public const MARK = '_aic_change';

	/**
	 * The name of the form field; its value is `<id of the post>:<mark>`.
	 */
	private const FIELD = 'aic_seen';

	/**
	 * Marks a post as changed by the assistant.
	 *
	 * @param int $post_id The post.
	 */
	public static function mark( int $post_id ): void {
		update_post_meta( $post_id, self::MARK, wp_generate_uuid4() );
	}

	/**
	 * Prints the form field into the form of a post.
	 *
	 * @param WP_Post $post The post.
	 */
	public static function carry( WP_Post $post ): void {
		printf( '<input type="hidden" name="%s" value="%s">', esc_attr( self::FIELD ), esc_attr( self::seen( $post->ID ) ) );
	}

	/**
	 * Prints the value of the form field into the data from which Quick Edit builds its form.
	 *
	 * @param WP_Post $post The post.
	 */
	public static function carry_in_row( WP_Post $post ): void {
		printf( '<div class="%s">%s</div>', esc_attr( self::FIELD ), esc_html( self::seen( $post->ID ) ) );
	}

	/**
	 * Stops a form before anything is stored, if the assistant has changed the post since the form was opened.
	 */
	public static function hold(): void {
		// phpcs:disable WordPress.Security.NonceVerification.Missing -- The handler of the form checks its nonce; nothing is stored here.
		$post_id = isset( $_POST[ self::FIELD ] ) ? self::outdated( sanitize_text_field( wp_unslash( $_POST[ self::FIELD ] ) ) ) : 0;
		if ( 0 === $post_id ) {
			return;
		}
		$words = __( 'The assistant has changed this since you opened it. Nothing was saved.', 'backend-ai-chat' );
		if ( wp_doing_ajax() ) {
			// Quick Edit shows the text of an answer only with status 200.
			wp_die( esc_html( $words . ' ' . __( 'Reload the page to see the change.', 'backend-ai-chat' ) ), '', array( 'response' => 200 ) );
		}
		$fields = self::hidden( array( self::FIELD => self::seen( $post_id ) ) + wp_unslash( $_POST ) );
		$form   = sprintf(
			'<p>%s</p><form method="post" action="%s">%s<p><a class="button button-large" href="%s">%s</a> <button class="button button-large">%s</button></p></form>',
			esc_html( $words ),
			esc_url( admin_url( 'post.php' ) ),
			$fields,
			esc_url( (string) get_edit_post_link( $post_id ) ),
			esc_html__( 'Show what is stored', 'backend-ai-chat' ),
			esc_html__( 'Save my version', 'backend-ai-chat' )
		);
		wp_die( $form, esc_html__( 'Nothing was saved', 'backend-ai-chat' ), array( 'response' => 409 ) ); // phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped -- Escaped above.
	}

	/**
	 * Prevents the autosave of a classic form from overwriting a change, and informs the form.
	 *
	 * @param array<string, mixed> $response The answer of the heartbeat.
	 * @param array<string, mixed> $data     The data of the heartbeat.
	 * @return array<string, mixed>
	 */
	public static function hold_autosave( array $response, array $data ): array {
		if ( isset( $data[ self::FIELD ] ) && self::outdated( $data[ self::FIELD ] ) > 0 ) {
			remove_filter( 'heartbeat_received', 'heartbeat_autosave', 500 );
			$response['aic_changed'] = true;
		}
		return $response;
	}

	/**
	 * Returns the value of the form field for a post.
	 *
	 * @param int $post_id The post.
	 */
	private static function seen( int $post_id ): string {
		return $post_id . ':' . get_post_meta( $post_id, self::MARK, true );
	}

	/**
	 * Returns the post if its form is older than the assistant's last change, and the user may change the post; else 0.
	 *
	 * @param mixed $seen The value of the form field.
	 */
	private static function outdated( $seen ): int {
		$post_id = is_string( $seen ) ? (int) strtok( $seen, ':' ) : 0;
		return $post_id > 0 && current_user_can( 'edit_post', $post_id ) && self::seen( $post_id ) !== $seen ? $post_id : 0;
	}

	/**
	 * Returns the values of a form as hidden fields, unchanged.
	 *
	 * @param array<int|string, mixed> $values The values.
	 */
	private static function hidden( array $values ): string {
		$html = '';
		foreach ( explode( '&', http_build_query( $values, '', '&' ) ) as $pair ) {
			$escaped = static fn( string $part ) => htmlspecialchars( urldecode( $part ), ENT_QUOTES );
			$html   .= vsprintf( '<input type="hidden" name="%s" value="%s">', array_map( $escaped, explode( '=', $pair ) ) );
		}
		return $html;
	}
}
