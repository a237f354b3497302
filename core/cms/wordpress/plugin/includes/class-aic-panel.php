<?php
/**
 * The panel in wp-admin.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Shows the panel, says who the user is, and ends their sessions in the chat when they log out.
 */
final class AIC_Panel {

	public const PAGE = 'backend-ai-chat';

	/**
	 * A statement is good for so long, in seconds.
	 */
	private const STATEMENT_SECONDS = 50;

	/**
	 * Hooks the panel into wp-admin.
	 */
	public static function hook(): void {
		add_action( 'admin_enqueue_scripts', array( self::class, 'enqueue' ) );
		add_action( 'login_enqueue_scripts', array( self::class, 'forget' ) );
		add_filter( 'script_loader_tag', array( self::class, 'tag' ), 10, 2 );
		add_action( 'admin_bar_menu', array( self::class, 'button' ), 90 );
		add_action( 'admin_menu', array( self::class, 'menu' ) );
		add_action( 'wp_logout', array( self::class, 'end_sessions' ) );
	}

	/**
	 * Registers the address at which the page of a user gets statements about them.
	 */
	public static function register(): void {
		register_rest_route(
			'aic/v1',
			'/statement',
			array(
				'methods'             => 'POST',
				'callback'            => static fn() => new WP_REST_Response( array( 'token' => self::statement( get_current_user_id(), wp_get_session_token() ) ), 200, array( 'Cache-Control' => 'no-store' ) ),
				// A nonce of WordPress proves that the page asked, and the cookie who the user is.
				'permission_callback' => static fn() => self::is_for_user() && '' !== wp_get_session_token(),
			)
		);
	}

	/**
	 * Whether the current user sees the chat here; the stage decides whether they may use it.
	 */
	private static function is_for_user(): bool {
		return current_user_can( 'edit_posts' ) && null !== AIC_Pairing::current();
	}

	/**
	 * Loads the panel and what connects it with wp-admin.
	 */
	public static function enqueue(): void {
		$pairing = AIC_Pairing::current();
		if ( ! $pairing || ! self::is_for_user() ) {
			return;
		}
		// The address of the stage is a version of its own, and a version of WordPress would be a foreign query.
		// phpcs:ignore WordPress.WP.EnqueuedResourceParameters.MissingVersion
		wp_enqueue_script( 'aic-embed', "$pairing->origin/backend/embed.js", array(), null, false );
		wp_enqueue_script( 'aic-admin', plugins_url( 'assets/admin.js', AIC_FILE ), array( 'wp-i18n' ), AIC_VERSION, true );
		wp_enqueue_style( 'aic-admin', plugins_url( 'assets/admin.css', AIC_FILE ), array(), AIC_VERSION );
		$screen = get_current_screen();
		if ( $screen && $screen->is_block_editor() ) {
			wp_enqueue_script( 'aic-editor', plugins_url( 'assets/editor.js', AIC_FILE ), array( 'wp-api-fetch', 'wp-blocks', 'wp-core-data', 'wp-data', 'wp-editor', 'wp-notices', 'wp-i18n' ), AIC_VERSION, true );
		}
	}

	/**
	 * Has the browser forget what the chat kept, on the page that a logout leads to.
	 */
	public static function forget(): void {
		wp_enqueue_script( 'aic-forget', plugins_url( 'assets/forget.js', AIC_FILE ), array(), AIC_VERSION, true );
	}

	/**
	 * Gives the tag of the panel what it needs, without an inline script.
	 *
	 * @param string $tag    The tag.
	 * @param string $handle Its handle.
	 */
	public static function tag( string $tag, string $handle ): string {
		$pairing = AIC_Pairing::current();
		if ( 'aic-embed' !== $handle || ! $pairing ) {
			return $tag;
		}
		$attributes = array(
			'type'             => 'module',
			'src'              => "$pairing->origin/backend/embed.js",
			'data-statement'   => '' === wp_get_session_token() ? '' : self::statement( get_current_user_id(), wp_get_session_token() ),
			'data-session-url' => add_query_arg( '_wpnonce', wp_create_nonce( 'wp_rest' ), rest_url( 'aic/v1/statement' ) ),
			'data-lang'        => substr( get_user_locale(), 0, 2 ),
			'data-module-href' => admin_url( 'admin.php?page=' . self::PAGE . '#{id}' ),
			'data-record-href' => admin_url( 'post.php?post={uid}&action=edit' ),
			'data-module'      => self::is_module() ? '#aic-module' : '',
			'data-page'        => (string) self::open_post(),
			'data-title'       => self::open_post() ? wp_strip_all_tags( get_the_title( self::open_post() ) ) : '',
		);
		$text       = '';
		foreach ( array_filter( $attributes ) as $name => $value ) {
			$text .= sprintf( ' %s="%s"', $name, esc_attr( $value ) );
		}
		// phpcs:ignore WordPress.WP.EnqueuedResources.NonEnqueuedScript -- It is enqueued; this is its tag.
		// The script imports this one: the browser need not wait for the first to learn of it.
		$imported = esc_attr( "$pairing->origin/backend/chat.js" );
		return "<link rel=\"modulepreload\" href=\"$imported\">\n<script$text></script>\n";
	}

	/**
	 * Whether the page of the full chat is open.
	 */
	private static function is_module(): bool {
		$screen = get_current_screen();
		return $screen && 'toplevel_page_' . self::PAGE === $screen->id;
	}

	/**
	 * The post that is open; 0: none.
	 */
	private static function open_post(): int {
		$screen = get_current_screen();
		$post   = $screen && 'post' === $screen->base ? get_post() : null;
		return $post ? $post->ID : 0;
	}

	/**
	 * The button in the admin bar.
	 *
	 * @param WP_Admin_Bar $bar The bar.
	 */
	public static function button( WP_Admin_Bar $bar ): void {
		if ( ! is_admin() || ! self::is_for_user() ) {
			return;
		}
		$bar->add_node(
			array(
				'id'     => 'backend-ai-chat',
				'parent' => 'top-secondary',
				'title'  => '<span class="ab-icon" aria-hidden="true"></span><span class="ab-label">' . esc_html__( 'AI Chat', 'backend-ai-chat' ) . '</span>',
				'href'   => admin_url( 'admin.php?page=' . self::PAGE ),
			)
		);
	}

	/**
	 * The menu entry of the full page.
	 */
	public static function menu(): void {
		if ( AIC_Pairing::current() ) {
			add_menu_page( __( 'AI Chat', 'backend-ai-chat' ), __( 'AI Chat', 'backend-ai-chat' ), 'edit_posts', self::PAGE, array( self::class, 'module' ), 'dashicons-format-chat', 3 );
		}
	}

	/**
	 * The full page: the module fills it as soon as the panel's script is there.
	 */
	public static function module(): void {
		printf( '<div class="wrap"><h1 class="screen-reader-text">%s</h1><div id="aic-module"></div></div>', esc_html__( 'AI Chat', 'backend-ai-chat' ) );
	}

	/**
	 * Ends the sessions in the chat that belong to the session that ends here.
	 *
	 * @param int $user_id The user.
	 */
	public static function end_sessions( int $user_id ): void {
		$pairing = AIC_Pairing::current();
		$session = wp_get_session_token();
		if ( ! $pairing || 0 === $user_id || '' === $session ) {
			return;
		}
		// Where the stage cannot be reached, its session ends by itself within minutes; the logout does not wait for it.
		wp_remote_post(
			"$pairing->origin/backend/exchange/end",
			array(
				'timeout' => 3,
				'headers' => array( 'Content-Type' => 'application/json' ),
				'body'    => (string) wp_json_encode( array( 'token' => self::statement( $user_id, $session, array( 'use' => 'end' ) ) ) ),
			)
		);
	}

	/**
	 * A statement about a user, signed with the exchange key.
	 *
	 * @param int                   $user_id The user.
	 * @param string                $session Their session.
	 * @param array<string, string> $more    Further claims.
	 */
	private static function statement( int $user_id, string $session, array $more = array() ): string {
		$pairing = AIC_Pairing::current();
		$claims  = $more + array(
			'iss' => $pairing->key_id(),
			'aud' => 'ai-chat',
			'sub' => (string) $user_id,
			'sid' => hash( 'sha256', $session ),
			'jti' => wp_generate_uuid4(),
			'exp' => time() + self::STATEMENT_SECONDS,
		);
		$head    = array(
			'alg' => 'HS256',
			'typ' => 'JWT',
		);
		$text    = self::base64url( (string) wp_json_encode( $head ) ) . '.' . self::base64url( (string) wp_json_encode( $claims ) );
		return $text . '.' . self::base64url( hash_hmac( 'sha256', $text, $pairing->exchange_key(), true ) );
	}

	/**
	 * Bytes in base64url.
	 *
	 * @param string $bytes The bytes.
	 */
	private static function base64url( string $bytes ): string {
		// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions.obfuscation_base64_encode
		return rtrim( strtr( base64_encode( $bytes ), '+/', '-_' ), '=' );
	}
}
