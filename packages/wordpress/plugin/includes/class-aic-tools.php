<?php
/**
 * The chat's own tools as abilities.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Registers the tools of the chat as abilities. WordPress's MCP adapter and other plugins can then use them as the
 * logged-in user. Each call makes a statement about that user, and starts a session at the stage. The session's token
 * is not stored, so the plugin keeps no secret of a user. The stage decides on every call; a change becomes a proposal
 * in the user's chat.
 */
final class AIC_Tools {

	/**
	 * The option with the tools that the stage last returned to an administrator, and the time of that answer.
	 */
	public const KNOWN = 'aic_tools';

	/**
	 * The category of the abilities, and the prefix of their names.
	 */
	private const CATEGORY = 'backend-ai-chat';

	/**
	 * Registers the category.
	 */
	public static function register_category(): void {
		wp_register_ability_category( self::CATEGORY, array( 'label' => __( 'AI Chat', 'backend-ai-chat' ), 'description' => __( 'Tools of the AI chat, with the rights of their user', 'backend-ai-chat' ) ) );
	}

	/**
	 * Registers the stored tools.
	 */
	public static function register(): void {
		$known = AIC_Pairing::current() ? get_option( self::KNOWN, array() ) : array();
		foreach ( $known['tools'] ?? array() as $tool ) {
			$only_reads = true === ( $tool['annotations']['readOnlyHint'] ?? null );
			$schema     = array_filter( $tool['inputSchema'], static fn( $part ) => array() !== $part );
			wp_register_ability(
				self::CATEGORY . '/' . strtr( $tool['name'], '_', '-' ),
				array(
					'label'               => $tool['title'],
					'description'         => $tool['description'],
					'category'            => self::CATEGORY,
					// WordPress calls an ability without input only if its schema has a default.
					'input_schema'        => $schema + ( isset( $schema['required'] ) ? array() : array( 'default' => (object) array() ) ),
					'permission_callback' => array( self::class, 'may_use' ),
					'execute_callback'    => static fn( $input = array() ) => self::call( $tool['name'], (array) $input ),
					'meta'                => array(
						'annotations' => array( 'readonly' => $only_reads, 'destructive' => false, 'idempotent' => $only_reads ),
						'mcp'         => array( 'public' => true ),
					),
				)
			);
		}
	}

	/**
	 * True if the current user may use the chat, as far as WordPress knows. False while the chat itself calls an
	 * ability: such a call must not lead back to a tool of the chat.
	 */
	public static function may_use(): bool {
		return AIC_Panel::is_for_user() && ! AIC_Bridge::is_answering();
	}

	/**
	 * Asks the stage for its tools, as the current administrator, and stores them; an error stores an empty list.
	 * Returns the number of tools, or the error.
	 *
	 * @return int|WP_Error
	 */
	public static function learn() {
		$answer = self::ask( 'tools/list' );
		$tools  = is_wp_error( $answer ) ? array() : $answer['tools'];
		update_option( self::KNOWN, array( 'time' => time(), 'tools' => $tools ), false );
		return is_wp_error( $answer ) ? $answer : count( $tools );
	}

	/**
	 * Calls a tool as the current user. If the user is an administrator, first reads the list of the stage's tools
	 * again, at most once a day.
	 *
	 * @param string               $name  The name of the tool.
	 * @param array<string, mixed> $input The arguments.
	 * @return array{text: string, images?: array<int, array{mimeType: string, data: string}>}|WP_Error
	 */
	private static function call( string $name, array $input ) {
		if ( current_user_can( 'manage_options' ) && get_option( self::KNOWN )['time'] < time() - DAY_IN_SECONDS ) {
			self::learn();
		}
		$answer = self::ask( 'tools/call', array( 'name' => $name, 'arguments' => (object) $input ) );
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		$text   = implode( "\n", array_column( $answer['content'], 'text' ) );
		$images = array_filter( $answer['content'], static fn( $part ) => 'image' === $part['type'] );
		$images = array_map( static fn( $part ) => array( 'mimeType' => $part['mimeType'], 'data' => $part['data'] ), array_values( $images ) );
		return ( $answer['isError'] ?? false ) ? new WP_Error( 'aic_refused', $text ) : array( 'text' => $text ) + array_filter( array( 'images' => $images ) );
	}

	/**
	 * Asks the stage over the Model Context Protocol, as the current user.
	 *
	 * @param string               $method A method of the protocol.
	 * @param array<string, mixed> $params The parameters.
	 * @return array<string, mixed>|WP_Error
	 */
	private static function ask( string $method, array $params = array() ) {
		$session = wp_get_session_token();
		$token   = AIC_Panel::statement( get_current_user_id(), '' === $session ? null : $session );
		// The stage gives a session token only to origins that may embed the chat, such as this site.
		$started = self::post( '/backend/exchange', array( 'token' => $token ), array( 'Origin' => implode( '/', array_slice( explode( '/', AIC_Bridge::base() ), 0, 3 ) ) ) );
		if ( is_wp_error( $started ) ) {
			return $started;
		}
		$headers = array( 'Authorization' => "Bearer {$started['token']}", 'Accept' => 'application/json, text/event-stream' );
		$answer  = self::post( '/ai-chat/mcp', array( 'jsonrpc' => '2.0', 'id' => 1, 'method' => $method ) + array_filter( array( 'params' => $params ) ), $headers );
		return is_wp_error( $answer ) ? $answer : $answer['result'];
	}

	/**
	 * Sends a request to the stage; returns a refusal as an error with the stage's message.
	 *
	 * @param string                $path    The path.
	 * @param array<string, mixed>  $body    The body.
	 * @param array<string, string> $headers Further headers.
	 * @return array<string, mixed>|WP_Error
	 */
	private static function post( string $path, array $body, array $headers ) {
		$answer = AIC_Pairing::post( $path, $body, 25, $headers + array( 'Accept-Language' => substr( get_user_locale(), 0, 2 ) ) );
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		$said = json_decode( wp_remote_retrieve_body( $answer ), true );
		return is_array( $said ) && ! isset( $said['error'] ) ? $said : new WP_Error( 'aic_refused', (string) ( $said['error']['message'] ?? 'The stage gave no answer that can be read.' ) );
	}
}
