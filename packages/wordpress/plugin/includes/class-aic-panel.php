<?php
/**
 * The panel in wp-admin.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Shows the panel, tells the stage who the user is, and ends the user's chat sessions at logout.
 */
final class AIC_Panel {

	public const PAGE = 'backend-ai-chat';

	/**
	 * The period in which a statement is valid, in seconds. It includes the load time of the page that contains the
	 * statement.
	 */
	private const STATEMENT_SECONDS = 50;

	/**
	 * Sends a page a new statement about its user. The nonce proves that the page sent the request, and the cookie
	 * identifies the user.
	 */
	public static function send_statement(): void {
		check_ajax_referer( 'aic_statement' );
		if ( ! self::is_for_user() || '' === wp_get_session_token() ) {
			wp_die( '', 403 );
		}
		wp_send_json( array( 'token' => self::statement( get_current_user_id(), wp_get_session_token() ) ) );
	}

	/**
	 * True if the current user sees the chat here; the stage decides if the user may use it.
	 */
	public static function is_for_user(): bool {
		return current_user_can( 'edit_posts' ) && null !== AIC_Pairing::current();
	}

	/**
	 * Loads the panel and the scripts that connect it with WordPress, on every page with the admin bar.
	 */
	public static function enqueue(): void {
		if ( ! self::is_for_user() || ! is_admin_bar_showing() || is_customize_preview() ) {
			return;
		}
		$origin = AIC_Pairing::current()->origin;
		// The script has no version (`null`). Otherwise, WordPress would append its own version to the script's
		// address as a query.
		// phpcs:ignore WordPress.WP.EnqueuedResourceParameters.MissingVersion
		wp_enqueue_script( 'aic-embed', "$origin/backend/embed.js", array(), null, false );
		self::script( 'admin', array( 'wp-i18n' ) );
		wp_enqueue_style( 'aic-admin', plugins_url( 'assets/admin.css', AIC_FILE ), array(), AIC_VERSION );
		$screen = is_admin() ? get_current_screen() : null;
		if ( $screen && $screen->is_block_editor() ) {
			self::script( 'editor', array( 'wp-api-fetch', 'wp-blocks', 'wp-core-data', 'wp-data', 'wp-editor', 'wp-notices', 'wp-i18n' ) );
		} elseif ( $screen && in_array( $screen->base, array( 'post', 'edit' ), true ) ) {
			self::script( 'forms', array( 'wp-i18n' ) );
		}
	}

	/**
	 * Loads a script of the plugin with its translations.
	 *
	 * @param string             $name The name of the file.
	 * @param array<int, string> $uses The scripts that it needs.
	 */
	private static function script( string $name, array $uses ): void {
		wp_enqueue_script( "aic-$name", plugins_url( "assets/$name.js", AIC_FILE ), $uses, AIC_VERSION, true );
		wp_set_script_translations( "aic-$name", 'backend-ai-chat' );
	}

	/**
	 * Loads the script that deletes the chat's data from the browser, on the page after a logout.
	 */
	public static function forget(): void {
		wp_enqueue_script( 'aic-forget', plugins_url( 'assets/forget.js', AIC_FILE ), array(), AIC_VERSION, true );
	}

	/**
	 * Returns the script tag of the panel with its attributes, without an inline script.
	 *
	 * @param string $tag    The tag.
	 * @param string $handle The handle of the script.
	 */
	public static function tag( string $tag, string $handle ): string {
		$pairing = AIC_Pairing::current();
		if ( 'aic-embed' !== $handle || ! $pairing ) {
			return $tag;
		}
		$post       = self::open_post();
		$attributes = array(
			'type'             => 'module',
			'src'              => "$pairing->origin/backend/embed.js",
			// A statement is valid only once, and a cache may store a page of the site. Therefore pages outside
			// wp-admin contain no statement.
			'data-statement'   => ! is_admin() || '' === wp_get_session_token() ? '' : self::statement( get_current_user_id(), wp_get_session_token() ),
			// The function of the script tag escapes this URL. Newer versions of WordPress would escape an escaped URL
			// again.
			'data-session-url' => admin_url( 'admin-ajax.php?action=aic_statement&_wpnonce=' . wp_create_nonce( 'aic_statement' ) ),
			'data-lang'        => substr( get_user_locale(), 0, 2 ),
			'data-module-href' => admin_url( 'admin.php?page=' . self::PAGE . '#{id}' ),
			'data-record-href' => admin_url( 'post.php?post={uid}&action=edit' ),
			'data-module'      => '#aic-module',
			'data-page'        => $post ? (string) $post->ID : '',
			'data-table'       => $post && 'page' !== $post->post_type ? $post->post_type : '',
			'data-title'       => $post ? wp_strip_all_tags( get_the_title( $post ) ) : '',
		);
		// Preloads the module that the script imports, so that the browser does not have to parse the script first.
		$imported = esc_attr( "$pairing->origin/backend/chat.js" );
		return "<link rel=\"modulepreload\" href=\"$imported\">\n" . wp_get_script_tag( array_filter( $attributes ) );
	}

	/**
	 * Returns the post that is open in an editor or on the site; null without an open post.
	 */
	private static function open_post(): ?WP_Post {
		if ( ! is_admin() ) {
			return is_singular( array_keys( AIC_Types::all() ) ) ? get_queried_object() : null;
		}
		$screen = get_current_screen();
		return $screen && 'post' === $screen->base ? get_post() : null;
	}

	/**
	 * Adds the button to the admin bar.
	 *
	 * @param WP_Admin_Bar $bar The bar.
	 */
	public static function button( WP_Admin_Bar $bar ): void {
		$sign = '<span class="ab-icon" aria-hidden="true"></span>';
		$node = array(
			'id'     => 'backend-ai-chat',
			'parent' => 'top-secondary',
			'title'  => $sign . '<span class="ab-label">' . esc_html__( 'AI Chat', 'backend-ai-chat' ) . '</span>',
			'href'   => admin_url( 'admin.php?page=' . self::PAGE ),
			'meta'   => array( 'html' => '<p id="aic-blocked" role="alert" hidden>' . esc_html( self::blocked() ) . '</p>' ),
		);
		if ( self::is_for_user() ) {
			$bar->add_node( $node );
		}
	}

	/**
	 * Adds the menu entry of the full page.
	 */
	public static function menu(): void {
		if ( AIC_Pairing::current() ) {
			add_menu_page( __( 'AI Chat', 'backend-ai-chat' ), __( 'AI Chat', 'backend-ai-chat' ), 'edit_posts', self::PAGE, array( self::class, 'module' ), 'dashicons-format-chat', 3 );
		}
	}

	/**
	 * Prints the full page with a message that the chat cannot be loaded. As soon as the script of the stage is loaded,
	 * the chat covers this message.
	 */
	public static function module(): void {
		printf(
			'<div class="wrap"><h1 class="screen-reader-text">%s</h1><div id="aic-module"><p class="aic-blocked">%s</p></div></div>',
			esc_html__( 'AI Chat', 'backend-ai-chat' ),
			esc_html( self::blocked() )
		);
	}

	/**
	 * Returns the message for a person whose browser does not load the script of the stage.
	 */
	public static function blocked(): string {
		/* translators: %s: origin of the stage. */
		return sprintf( __( 'The chat cannot be loaded from %s. The stage is down, or something blocks its script: a Content-Security-Policy, an extension of the browser.', 'backend-ai-chat' ), AIC_Pairing::current()->origin ?? '' );
	}

	/**
	 * Tells the stage that a session of a user has ended. A stage that cannot be reached ends the session itself within
	 * minutes, so a failure does not block the logout.
	 *
	 * @param int         $user_id The user.
	 * @param string|null $session The session; null for the current session.
	 * @param int         $timeout The maximum time to wait, in seconds.
	 * @return array<string, mixed>|WP_Error|null The answer, with status 204 if the stage knows the key; null if no
	 * request was sent.
	 */
	public static function end_session( int $user_id, ?string $session = null, int $timeout = 3 ) {
		$session ??= wp_get_session_token();
		if ( ! AIC_Pairing::current() || 0 === $user_id || '' === $session ) {
			return null;
		}
		return AIC_Pairing::post( '/backend/exchange/end', array( 'token' => self::statement( $user_id, $session, array( 'use' => 'end' ) ) ), $timeout );
	}

	/**
	 * Returns a signed statement about a user.
	 *
	 * @param int                   $user_id The user.
	 * @param string|null           $session The user's session; null without a session, as with an application
	 * password.
	 * @param array<string, string> $more    Further claims.
	 */
	public static function statement( int $user_id, ?string $session, array $more = array() ): string {
		return AIC_Pairing::line()->statement( $user_id, $session, $more + array( 'exp' => time() + self::STATEMENT_SECONDS ) );
	}
}
