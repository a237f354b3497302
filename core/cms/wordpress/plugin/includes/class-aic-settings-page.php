<?php
/**
 * The settings page.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Where an administrator pastes the pairing code, and checks the line.
 */
final class AIC_Settings_Page {

	private const PAGE  = 'backend-ai-chat-settings';
	private const NONCE = 'aic-settings';

	/**
	 * Hooks the page into wp-admin.
	 */
	public static function hook(): void {
		add_action( 'admin_menu', array( self::class, 'menu' ) );
		add_action( 'admin_post_aic_pair', array( self::class, 'pair' ) );
	}

	/**
	 * The menu entry.
	 */
	public static function menu(): void {
		add_options_page( __( 'AI Chat', 'backend-ai-chat' ), __( 'AI Chat', 'backend-ai-chat' ), 'manage_options', self::PAGE, array( self::class, 'show' ) );
	}

	/**
	 * Keeps the code of the form.
	 */
	public static function pair(): void {
		if ( ! current_user_can( 'manage_options' ) ) {
			wp_die( esc_html__( 'You may not do this.', 'backend-ai-chat' ), 403 );
		}
		check_admin_referer( self::NONCE );
		$code     = isset( $_POST['code'] ) ? trim( sanitize_text_field( wp_unslash( $_POST['code'] ) ) ) : '';
		$is_valid = '' === $code || null !== AIC_Pairing::of( $code );
		if ( $is_valid ) {
			AIC_Pairing::keep( $code );
		}
		$result = $is_valid ? ( '' === $code ? 'ended' : 'kept' ) : 'invalid';
		wp_safe_redirect( add_query_arg( 'aic', $result, admin_url( 'options-general.php?page=' . self::PAGE ) ) );
		exit;
	}

	/**
	 * The page.
	 */
	public static function show(): void {
		$pairing = AIC_Pairing::current();
		echo '<div class="wrap"><h1>' . esc_html__( 'AI Chat', 'backend-ai-chat' ) . '</h1>';
		self::notice();
		echo '<form method="post" action="' . esc_url( admin_url( 'admin-post.php' ) ) . '">';
		echo '<input type="hidden" name="action" value="aic_pair">';
		wp_nonce_field( self::NONCE );
		echo '<table class="form-table" role="presentation"><tr><th scope="row"><label for="aic-code">' . esc_html__( 'Pairing code', 'backend-ai-chat' ) . '</label></th><td>';
		echo '<input class="regular-text code" id="aic-code" name="code" type="password" autocomplete="off" spellcheck="false">';
		echo '<p class="description">' . esc_html__( 'The stage prints it: npm run connect. An empty code ends the connection.', 'backend-ai-chat' ) . '</p></td></tr>';
		self::row( __( 'Stage', 'backend-ai-chat' ), $pairing ? $pairing->origin : __( 'Not connected', 'backend-ai-chat' ) );
		self::row( __( 'Address of this site', 'backend-ai-chat' ), AIC_Bridge::base() );
		if ( $pairing ) {
			self::row( __( 'Key', 'backend-ai-chat' ), $pairing->key_id() );
			self::row( __( 'Connection', 'backend-ai-chat' ), self::line( $pairing ) );
		}
		echo '</table>';
		submit_button( __( 'Save and check the connection', 'backend-ai-chat' ) );
		echo '</form></div>';
	}

	/**
	 * What became of the form.
	 */
	private static function notice(): void {
		// phpcs:ignore WordPress.Security.NonceVerification.Recommended -- Chooses one of three sentences.
		$result = isset( $_GET['aic'] ) ? sanitize_key( wp_unslash( $_GET['aic'] ) ) : '';
		$texts  = array(
			'kept'    => array( 'success', __( 'The code was saved.', 'backend-ai-chat' ) ),
			'ended'   => array( 'success', __( 'The connection was ended.', 'backend-ai-chat' ) ),
			'invalid' => array( 'error', __( 'This is no pairing code. It begins with aic2. and has no spaces.', 'backend-ai-chat' ) ),
		);
		if ( isset( $texts[ $result ] ) ) {
			printf( '<div class="notice notice-%s"><p>%s</p></div>', esc_attr( $texts[ $result ][0] ), esc_html( $texts[ $result ][1] ) );
		}
	}

	/**
	 * A row of the table.
	 *
	 * @param string $name  What it says.
	 * @param string $value What is said.
	 */
	private static function row( string $name, string $value ): void {
		printf( '<tr><th scope="row">%s</th><td>%s</td></tr>', esc_html( $name ), esc_html( $value ) );
	}

	/**
	 * Whether this server reaches the stage, and what prevents the other direction.
	 *
	 * @param AIC_Pairing $pairing The pairing.
	 */
	private static function line( AIC_Pairing $pairing ): string {
		if ( str_contains( AIC_Bridge::base(), '?' ) ) {
			return __( 'Permalinks are plain: choose another structure under Settings, Permalinks.', 'backend-ai-chat' );
		}
		$answer = wp_remote_get( "$pairing->origin/backend/embed.js", array( 'timeout' => 5 ) );
		if ( is_wp_error( $answer ) ) {
			/* translators: %s: reason. */
			return sprintf( __( 'The stage cannot be reached from this server: %s', 'backend-ai-chat' ), $answer->get_error_message() );
		}
		$status = (int) wp_remote_retrieve_response_code( $answer );
		return 200 === $status
			? __( 'The stage answers. Run npm run connect at the stage to check the other direction.', 'backend-ai-chat' )
			/* translators: %d: HTTP status. */
			: sprintf( __( 'The stage answers with status %d: its address is another one, or its release is too old.', 'backend-ai-chat' ), $status );
	}
}
