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
	 * How long a statement is valid, in seconds: one that is in the tag of a page waits for the page.
	 */
	private const STATEMENT_SECONDS = 50;

	/**
	 * Sends the page of a user a new statement about them. The nonce proves that the page asked. The cookie identifies
	 * the user.
	 */
	public static function send_statement(): void {
		check_ajax_referer( 'aic_statement' );
		if ( ! self::is_for_user() || '' === wp_get_session_token() ) {
			wp_die( '', 403 );
		}
		wp_send_json( array( 'token' => self::statement( get_current_user_id(), wp_get_session_token() ) ) );
	}

	/**
	 * True if the current user sees the chat here; the stage decides if they may use it.
	 */
	public static function is_for_user(): bool {
		return current_user_can( 'edit_posts' ) && null !== AIC_Pairing::current();
	}

	/**
	 * Loads the panel and what connects it with WordPress, wherever the admin bar is.
	 */
	public static function enqueue(): void {
		if ( ! self::is_for_user() || ! is_admin_bar_showing() || is_customize_preview() ) {
			return;
		}
		$origin = AIC_Pairing::current()->origin;
		// The address of the stage is a version of its own, and a version of WordPress would be a foreign query.
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
	 * Loads a script of the plugin with its words.
	 *
	 * @param string             $name Name of its file.
	 * @param array<int, string> $uses Scripts that it needs.
	 */
	private static function script( string $name, array $uses ): void {
		wp_enqueue_script( "aic-$name", plugins_url( "assets/$name.js", AIC_FILE ), $uses, AIC_VERSION, true );
		wp_set_script_translations( "aic-$name", 'backend-ai-chat' );
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
			// A cache may keep a page of the site, and a statement is valid once.
			'data-statement'   => ! is_admin() || '' === wp_get_session_token() ? '' : self::statement( get_current_user_id(), wp_get_session_token() ),
			// The tag escapes it, in newer versions of WordPress also what is escaped already.
			'data-session-url' => admin_url( 'admin-ajax.php?action=aic_statement&_wpnonce=' . wp_create_nonce( 'aic_statement' ) ),
			'data-lang'        => substr( get_user_locale(), 0, 2 ),
			'data-module-href' => admin_url( 'admin.php?page=' . self::PAGE . '#{id}' ),
			'data-record-href' => admin_url( 'post.php?post={uid}&action=edit' ),
			'data-module'      => '#aic-module',
			'data-page'        => (string) self::open_post(),
			'data-title'       => self::open_post() ? wp_strip_all_tags( get_the_title( self::open_post() ) ) : '',
		);
		// The script imports this one: the browser need not wait for the first to learn of it.
		$imported = esc_attr( "$pairing->origin/backend/chat.js" );
		return "<link rel=\"modulepreload\" href=\"$imported\">\n" . wp_get_script_tag( array_filter( $attributes ) );
	}

	/**
	 * The post that is open, in an editor or on the site; 0: none.
	 */
	private static function open_post(): int {
		if ( ! is_admin() ) {
			return is_singular( array_keys( AIC_Types::all() ) ) ? get_queried_object_id() : 0;
		}
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
	 * The menu entry of the full page.
	 */
	public static function menu(): void {
		if ( AIC_Pairing::current() ) {
			add_menu_page( __( 'AI Chat', 'backend-ai-chat' ), __( 'AI Chat', 'backend-ai-chat' ), 'edit_posts', self::PAGE, array( self::class, 'module' ), 'dashicons-format-chat', 3 );
		}
	}

	/**
	 * The full page: the module covers the sentence as soon as the panel's script is there.
	 */
	public static function module(): void {
		printf(
			'<div class="wrap"><h1 class="screen-reader-text">%s</h1><div id="aic-module"><p class="aic-blocked">%s</p></div></div>',
			esc_html__( 'AI Chat', 'backend-ai-chat' ),
			esc_html( self::blocked() )
		);
	}

	/**
	 * The sentence for a person whose browser does not load the script of the stage.
	 */
	public static function blocked(): string {
		/* translators: %s: origin of the stage. */
		return sprintf( __( 'The chat cannot be loaded from %s. The stage is down, or something blocks its script: a Content-Security-Policy, an extension of the browser.', 'backend-ai-chat' ), AIC_Pairing::current()->origin ?? '' );
	}

	/**
	 * Tells the stage that a session of a user has ended. A stage that cannot be reached ends its session by itself within
	 * minutes, so a logout does not wait for it.
	 *
	 * @param int         $user_id The user.
	 * @param string|null $session The session; null: the one that ends here.
	 * @param int         $timeout Seconds to wait at most.
	 * @return array<string, mixed>|WP_Error|null The answer, with status 204 where the stage knows the key; null: not asked.
	 */
	public static function end_session( int $user_id, ?string $session = null, int $timeout = 3 ) {
		$session ??= wp_get_session_token();
		if ( ! AIC_Pairing::current() || 0 === $user_id || '' === $session ) {
			return null;
		}
		return AIC_Pairing::post( '/backend/exchange/end', array( 'token' => self::statement( $user_id, $session, array( 'use' => 'end' ) ) ), $timeout );
	}

	/**
	 * A statement about a user.
	 *
	 * @param int                   $user_id The user.
	 * @param string|null           $session Their session; null: they have none, as with an application password.
	 * @param array<string, string> $more    Further claims.
	 */
	public static function statement( int $user_id, ?string $session, array $more = array() ): string {
		return AIC_Pairing::line()->statement( $user_id, $session, $more + array( 'exp' => time() + self::STATEMENT_SECONDS ) );
	}
}
