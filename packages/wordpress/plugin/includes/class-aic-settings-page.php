<?php
/**
 * The settings page.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

use BackendAiChat\Pairing;

/**
 * The page on which an administrator pastes the pairing code, and checks the connection.
 */
final class AIC_Settings_Page {

	public const PAGE = 'backend-ai-chat-settings';

	/**
	 * Returns the address of the page.
	 */
	private static function address(): string {
		return admin_url( 'options-general.php?page=' . self::PAGE );
	}

	/**
	 * Adds a link to the page to the plugin's row in the list of plugins.
	 *
	 * @param array<int|string, string> $links The links of the row.
	 * @return array<int|string, string>
	 */
	public static function link( array $links ): array {
		return array( 'settings' => sprintf( '<a href="%s">%s</a>', esc_url( self::address() ), esc_html__( 'Settings', 'backend-ai-chat' ) ) ) + $links;
	}

	/**
	 * Shows a notice in the list of plugins after the activation: the pairing code is missing.
	 */
	public static function remind(): void {
		if ( 'plugins' === get_current_screen()->id && current_user_can( 'manage_options' ) && ! AIC_Pairing::current() ) {
			printf(
				'<div class="notice notice-info"><p>%s <a href="%s">%s</a></p></div>',
				esc_html__( 'Backend AI Chat is not connected with a stage yet.', 'backend-ai-chat' ),
				esc_url( self::address() ),
				esc_html__( 'Paste the pairing code', 'backend-ai-chat' )
			);
		}
	}

	/**
	 * Adds the menu entry.
	 */
	public static function menu(): void {
		add_options_page( __( 'AI Chat', 'backend-ai-chat' ), __( 'AI Chat', 'backend-ai-chat' ), 'manage_options', self::PAGE, array( self::class, 'show' ) );
	}

	/**
	 * Registers the option with the pairing code in WordPress.
	 */
	public static function register(): void {
		register_setting( self::PAGE, AIC_Pairing::CURRENT, array( 'sanitize_callback' => array( self::class, 'check' ) ) );
	}

	/**
	 * Returns the pairing code to store, and adds a message about it. Returns the previous code if the new one is
	 * invalid.
	 *
	 * @param mixed $value The value from the form.
	 */
	public static function check( $value ): string {
		$code = trim( sanitize_text_field( $value ) );
		if ( '' !== $code && ! Pairing::of( $code ) ) {
			add_settings_error( self::PAGE, 'invalid', __( 'This is no pairing code. It begins with aic2. and has no spaces.', 'backend-ai-chat' ) );
			return (string) get_option( AIC_Pairing::CURRENT );
		}
		$text = '' === $code
			? __( 'The connection was ended.', 'backend-ai-chat' )
			: __( 'The code was saved.', 'backend-ai-chat' );
		add_settings_error( self::PAGE, 'kept', $text, 'success' );
		return $code;
	}

	/**
	 * Prints the page.
	 */
	public static function show(): void {
		$pairing = AIC_Pairing::current();
		echo '<div class="wrap"><h1>' . esc_html__( 'AI Chat', 'backend-ai-chat' ) . '</h1>';
		echo '<form method="post" action="' . esc_url( admin_url( 'options.php' ) ) . '">';
		settings_fields( self::PAGE );
		echo '<table class="form-table" role="presentation"><tr><th scope="row"><label for="aic-code">' . esc_html__( 'Pairing code', 'backend-ai-chat' ) . '</label></th><td>';
		printf(
			'<input class="regular-text code" id="aic-code" name="%s" type="password" autocomplete="off" spellcheck="false">',
			esc_attr( AIC_Pairing::CURRENT )
		);
		echo '<p class="description">' . esc_html__( 'The stage prints it: npm run connect. An empty code ends the connection.', 'backend-ai-chat' ) . '</p></td></tr>';
		self::row( __( 'Stage', 'backend-ai-chat' ), $pairing ? $pairing->origin : __( 'Not connected', 'backend-ai-chat' ) );
		self::row( __( 'Address of this site', 'backend-ai-chat' ), AIC_Bridge::base() );
		if ( $pairing ) {
			self::row( __( 'Key', 'backend-ai-chat' ), $pairing->keyId );
			$previous = AIC_Pairing::previous();
			if ( $previous ) {
				/* translators: %s: id of a key. */
				self::row( __( 'Key before', 'backend-ai-chat' ), sprintf( __( '%s, until the stage uses the new one, for a day at most', 'backend-ai-chat' ), $previous->keyId ) );
			}
			self::row( __( 'Connection', 'backend-ai-chat' ), self::line() );
			if ( AIC_Abilities::exist() ) {
				self::row( __( 'Tools for programs', 'backend-ai-chat' ), self::tools() );
			}
			self::row( __( 'This browser', 'backend-ai-chat' ), AIC_Panel::blocked(), 'aic-browser' );
		}
		echo '</table>';
		submit_button( __( 'Save and check the connection', 'backend-ai-chat' ) );
		echo '</form>';
		AIC_Choices::show();
		echo '</div>';
	}

	/**
	 * Prints a row of the table.
	 *
	 * @param string $name  The title.
	 * @param string $value The text.
	 * @param string $id    The HTML id of the cell with the text; empty for none.
	 */
	private static function row( string $name, string $value, string $id = '' ): void {
		printf( '<tr><th scope="row">%s</th><td%s>%s</td></tr>', esc_html( $name ), '' === $id ? '' : ' id="' . esc_attr( $id ) . '"', esc_html( $value ) );
	}

	/**
	 * Reads the tools of the chat again, and returns a sentence with the number of tools that are abilities.
	 */
	private static function tools(): string {
		$known = AIC_Tools::learn();
		if ( is_wp_error( $known ) ) {
			/* translators: %s: reason. */
			return sprintf( __( 'None: the settings of the stage have no accessTokens, or it cannot be asked. It says: %s', 'backend-ai-chat' ), $known->get_error_message() );
		}
		/* translators: %d: number of tools. */
		return sprintf( __( '%d tools of the chat are abilities of this site, which programs use with the rights of their user.', 'backend-ai-chat' ), $known );
	}

	/**
	 * Returns a sentence that says if this server reaches the stage and if both have the same code. It also names the
	 * setting that blocks requests of the stage.
	 */
	private static function line(): string {
		if ( str_contains( AIC_Bridge::base(), '?' ) ) {
			return __( 'Permalinks are plain: choose another structure under Settings, Permalinks.', 'backend-ai-chat' );
		}
		$answer = AIC_Panel::end_session( get_current_user_id(), wp_generate_uuid4(), 5 );
		if ( is_wp_error( $answer ) ) {
			/* translators: %s: reason. */
			return sprintf( __( 'The stage cannot be reached from this server: %s', 'backend-ai-chat' ), $answer->get_error_message() );
		}
		$status = (int) wp_remote_retrieve_response_code( $answer );
		return match ( $status ) {
			204     => __( 'The stage answers and knows this code. Run npm run connect -- --check at the stage to check the other direction.', 'backend-ai-chat' ),
			401     => __( 'The stage answers and has another code. Paste the one that npm run connect has printed last, and start the stage again. The clocks of both may differ by a minute at most.', 'backend-ai-chat' ),
			/* translators: %d: HTTP status. */
			default => sprintf( __( 'The stage answers with status %d: its address is another one, or its release is too old.', 'backend-ai-chat' ), $status ),
		};
	}
}
