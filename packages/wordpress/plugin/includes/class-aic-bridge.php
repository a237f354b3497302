<?php
/**
 * The bridge for the stage.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

use BackendAiChat\Bridge;
use BackendAiChat\Cms;
use BackendAiChat\Once;

/**
 * Answers the questions of the stage under `/wp-json/aic/v2/<operation>`.
 */
final class AIC_Bridge implements Cms {

	/**
	 * True while this process answers the stage.
	 *
	 * @var bool
	 */
	private static bool $is_answering = false;

	private const ROUTE = '#^/aic/v2/([a-zA-Z]+)$#';

	/**
	 * Lets requests of the stage pass even if another plugin closes REST to visitors without a login.
	 *
	 * @param mixed $result The result of earlier filters.
	 * @return mixed
	 */
	public static function let_in( $result ) {
		$route = (string) ( $GLOBALS['wp']->query_vars['rest_route'] ?? '' );
		return is_wp_error( $result ) && preg_match( self::ROUTE, $route ) ? true : $result;
	}

	/**
	 * Answers the questions of the stage before WordPress parses their bodies, because WordPress would refuse them with
	 * its own errors. The signature authenticates a request; a cookie does not.
	 *
	 * @param mixed           $result  The answer of another filter; null for none.
	 * @param WP_REST_Server  $server  The server.
	 * @param WP_REST_Request $request The request.
	 * @return mixed
	 */
	public static function dispatch( $result, WP_REST_Server $server, WP_REST_Request $request ) {
		$is_ours = null === $result && 'POST' === $request->get_method() && preg_match( self::ROUTE, $request->get_route(), $matches );
		return $is_ours ? self::answer( $request, $matches[1] ) : $result;
	}

	/**
	 * True while this process answers the stage.
	 */
	public static function is_answering(): bool {
		return self::$is_answering;
	}

	/**
	 * Returns the base address of the bridge, as the site knows it.
	 */
	public static function base(): string {
		return untrailingslashit( rest_url() );
	}

	/**
	 * Answers a request; caches must not store the answer.
	 *
	 * @param WP_REST_Request $request   The request.
	 * @param string          $operation Name of the operation.
	 */
	private static function answer( WP_REST_Request $request, string $operation ): WP_REST_Response {
		self::$is_answering = true;
		// A hook of a plugin may print, or end the request with words for a person.
		add_filter( 'wp_die_json_handler', static fn() => array( AIC_Refusal::class, 'with_words' ) );
		ob_start();
		list( $status, $body ) = ( new Bridge( new self(), AIC_Pairing::line(), new AIC_Store() ) )->answer( $operation, $request->get_headers(), $request->get_body() );
		ob_end_clean();
		if ( 401 !== $status && 'hello' !== $operation ) {
			AIC_Pairing::end_previous( (string) $request->get_header( 'x_aic_key' ) );
		}
		return new WP_REST_Response( $body, $status, array( 'Cache-Control' => 'no-store' ) );
	}

	/**
	 * {@inheritDoc}
	 */
	public function greeting(): array {
		$pairing = AIC_Pairing::current();
		return array(
			'name'     => 'WordPress',
			'version'  => get_bloginfo( 'version' ),
			// WordPress decides this itself: no request is sent.
			'outgoing' => $pairing && ! ( new WP_Http() )->block_request( $pairing->origin ),
		);
	}

	/**
	 * {@inheritDoc}
	 *
	 * @param int|string $user The id of the user.
	 */
	public function act( int|string $user ): bool {
		wp_set_current_user( (int) $user );
		switch_to_locale( get_user_locale() );
		return self::is_user( (int) $user );
	}

	/**
	 * {@inheritDoc}
	 *
	 * @param string               $operation The name of the operation.
	 * @param array<string, mixed> $question  The members of the question.
	 * @return mixed
	 */
	public function ask( string $operation, array $question ): mixed {
		$is_admin = current_user_can( 'manage_options' );
		// All sites of a network have one log and one server.
		$is_host = $is_admin && ( ! is_multisite() || is_super_admin() );
		return match ( $operation ) {
			'capabilities' => AIC_System::capabilities(),
			'user'         => self::is_user( ...$question ) ? AIC_System::user( get_userdata( $question['uid'] ) ) : null,
			'languages'    => array(),
			'page'         => AIC_Reader::page( ...$question ),
			'pageTree'     => AIC_Reader::tree( ...$question ),
			'pageContent'  => AIC_Reader::content( ...$question ),
			'tables'       => AIC_Types::tables(),
			'search'       => AIC_Reader::search( ...$question ),
			'list'         => AIC_Reader::list( ...$question ),
			'record'       => AIC_Reader::record( ...$question ),
			'picture'      => AIC_Picture::of( ...$question ),
			'history'      => AIC_History::of( ...$question ),
			'log'          => $is_host ? AIC_System::log( ...$question ) : array(),
			'users'        => $is_admin ? AIC_System::users() : array(),
			'facts'        => $is_host ? AIC_System::facts() : array(),
			'abilities'    => AIC_Abilities::list(),
			'ability'      => AIC_Abilities::call( ...$question ),
			'put'          => AIC_Put::run( $question ),
			'settle'       => ( new Once( new AIC_Store() ) )->settle( AIC_Put::name( ...$question ) ),
		};
	}

	/**
	 * True if the user belongs to this site; a network also has users of other sites.
	 *
	 * @param int $uid The id of the user.
	 */
	private static function is_user( int $uid ): bool {
		return $uid > 0 && ( is_user_member_of_blog( $uid ) || is_super_admin( $uid ) );
	}
}
