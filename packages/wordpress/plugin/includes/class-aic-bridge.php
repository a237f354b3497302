<?php
/**
 * The bridge.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Answers the questions of the stage under `/wp-json/aic/v2/<operation>`.
 */
final class AIC_Bridge {

	private const ROUTE = '#^/aic/v2/([a-zA-Z]+)$#';

	/**
	 * An answer is at most so long, in bytes.
	 */
	private const MOST = 4_194_304;

	/**
	 * Operations that act for no user; each call of a batch is asked for its own.
	 */
	private const ANONYMOUS = array( 'batch', 'capabilities', 'user', 'languages' );

	/**
	 * Operations that are never part of a batch.
	 */
	private const ALONE = array( 'hello', 'batch', 'settle' );

	/**
	 * Lets the stage through where another plugin closes REST to those who are not logged in.
	 *
	 * @param mixed $result What the filters before have decided.
	 * @return mixed
	 */
	public static function let_in( $result ) {
		$route = (string) ( $GLOBALS['wp']->query_vars['rest_route'] ?? '' );
		return is_wp_error( $result ) && preg_match( self::ROUTE, $route ) ? true : $result;
	}

	/**
	 * Answers the questions of the stage before WordPress parses their bodies, which it would refuse in words of its own.
	 * The signature decides, not a cookie.
	 *
	 * @param mixed           $result  What another filter has answered; null: nothing.
	 * @param WP_REST_Server  $server  The server.
	 * @param WP_REST_Request $request The request.
	 * @return mixed
	 */
	public static function dispatch( $result, WP_REST_Server $server, WP_REST_Request $request ) {
		$is_ours = null === $result && 'POST' === $request->get_method() && preg_match( self::ROUTE, $request->get_route(), $matches );
		return $is_ours ? self::answer( $request, $matches[1] ) : $result;
	}

	/**
	 * The base address of the bridge, as the site knows it.
	 */
	public static function base(): string {
		return untrailingslashit( rest_url() );
	}

	/**
	 * Answers a request.
	 *
	 * @param WP_REST_Request $request   The request.
	 * @param string          $operation Name of the operation.
	 */
	private static function answer( WP_REST_Request $request, string $operation ): WP_REST_Response {
		try {
			$caller = AIC_Signature::check( $request, $operation );
			wp_set_current_user( $caller['user'] );
			switch_to_locale( get_user_locale() );
			$input  = json_decode( $request->get_body(), true );
			$answer = 'hello' === $operation ? self::hello( $caller['key'] ) : self::run( $operation, $input );
			$body   = array( 'result' => $answer );
			if ( strlen( (string) wp_json_encode( $body ) ) > self::MOST ) {
				throw new AIC_Refusal( 'answer.tooLarge', 'The answer would be longer than 4 MB.' );
			}
			return self::response( 200, $body );
		} catch ( AIC_Refusal $refusal ) {
			return self::response( $refusal->status(), $refusal->body() );
		}
	}

	/**
	 * A response that no cache keeps.
	 *
	 * @param int                  $status HTTP status.
	 * @param array<string, mixed> $body   The body.
	 */
	private static function response( int $status, array $body ): WP_REST_Response {
		return new WP_REST_Response( $body, $status, array( 'Cache-Control' => 'no-store' ) );
	}

	/**
	 * This site's view of itself and of the line.
	 *
	 * @param string $key_id Id of the key that signed.
	 * @return array<string, mixed>
	 */
	private static function hello( string $key_id ): array {
		$pairing = AIC_Pairing::with_key( $key_id );
		return array(
			'base'      => self::base(),
			'time'      => (int) ( microtime( true ) * 1000 ),
			'keyId'     => $key_id,
			'name'      => 'WordPress',
			'version'   => get_bloginfo( 'version' ),
			'protocols' => array( 2 ),
			// WordPress answers this itself: no request is sent.
			'outgoing'  => $pairing && ! ( new WP_Http() )->block_request( $pairing->origin ),
		);
	}

	/**
	 * Answers several calls in their order.
	 *
	 * @param array<int, array<string, mixed>> $calls The calls.
	 * @return array<int, array<string, mixed>>
	 */
	private static function batch( array $calls ): array {
		return array_map(
			static function ( array $call ): array {
				try {
					$is_change = 'put' === $call['operation'] && true !== ( $call['input']['dry'] ?? null );
					if ( $is_change || in_array( $call['operation'], self::ALONE, true ) ) {
						throw new AIC_Refusal( 'request.invalid', 'This call cannot be part of a batch.' );
					}
					return array( 'result' => self::run( $call['operation'], $call['input'] ) );
				} catch ( AIC_Refusal $refusal ) {
					return $refusal->body();
				}
			},
			$calls
		);
	}

	/**
	 * The question of an operation in its form, with all its members; those that are missing are null.
	 *
	 * @param string $operation Name of the operation.
	 * @param mixed  $input     The question as it came.
	 * @return array<string, mixed>
	 * @throws AIC_Refusal When there is no such operation, or a member is not of its form.
	 */
	private static function question( string $operation, $input ): array {
		static $forms = null;
		$forms      ??= wp_json_file_decode( __DIR__ . '/../questions.json', array( 'associative' => true ) );
		$properties   = $forms[ $operation ]
			?? throw new AIC_Refusal( 'operation.unknown', 'This version of the bridge does not have the operation.' );
		$form         = array( 'type' => 'object', 'properties' => $properties );
		$valid        = rest_validate_value_from_schema( $input, $form, $operation );
		if ( is_wp_error( $valid ) ) {
			throw new AIC_Refusal( 'request.invalid', $valid->get_error_message() );
		}
		return rest_sanitize_value_from_schema( $input, $form ) + array_fill_keys( array_keys( $properties ), null );
	}

	/**
	 * Runs one operation.
	 *
	 * @param string $operation Its name.
	 * @param mixed  $input     Its question as it came.
	 * @return mixed
	 * @throws AIC_Refusal When it needs a user and there is none.
	 */
	private static function run( string $operation, $input ) {
		$in = self::question( $operation, $input );
		if ( ! in_array( $operation, self::ANONYMOUS, true ) && ! self::is_user( get_current_user_id() ) ) {
			throw new AIC_Refusal( 'user.unknown', 'There is no such user.' );
		}
		$is_admin = current_user_can( 'manage_options' );
		return match ( $operation ) {
			'batch'        => self::batch( $in['calls'] ),
			'capabilities' => AIC_Capabilities::all(),
			'user'         => self::user( $in['uid'] ),
			'languages'    => array(),
			'page'         => AIC_Pages::one( $in['uid'] ),
			'pageTree'     => AIC_Pages::tree( $in['root'], $in['depth'], $in['limit'] ),
			'pageContent'  => AIC_Pages::content( $in['uid'] ),
			'tables'       => AIC_Types::tables(),
			'search'       => AIC_Reader::search( $in['text'], $in['table'], $in['limit'] ),
			'list'         => AIC_Reader::list( $in['table'], $in['page'], $in['limit'], $in['offset'] ),
			'record'       => AIC_Reader::record( $in['table'], $in['uid'], $in['revision'] ),
			'picture'      => AIC_Picture::of( $in['table'], $in['uid'] ),
			'history'      => AIC_History::of( $in['table'], $in['uid'], $in['limit'] ),
			'log'          => $is_admin
				? AIC_System::log( $in['level'], $in['since'], true === $in['exceptions'], $in['offset'] ?? 0, $in['limit'] )
				: array(),
			'users'        => $is_admin ? AIC_System::users() : array(),
			'facts'        => $is_admin ? AIC_System::facts() : array(),
			'put'          => true === $in['dry']
				? AIC_Put::show( $in['put'], $in['versions'] )
				: AIC_Put::make( $in['put'], $in['versions'], (string) $in['key'], (string) $in['correlationId'] ),
			'settle'       => AIC_Store::once( $in['key'], static fn() => array( 'state' => 'void' ) ),
		};
	}

	/**
	 * True if this is a user of this site; a network has users of other sites, too.
	 *
	 * @param int $uid Id.
	 */
	private static function is_user( int $uid ): bool {
		return $uid > 0 && ( is_user_member_of_blog( $uid ) || is_super_admin( $uid ) );
	}

	/**
	 * A user as the stage knows users; null: there is none.
	 *
	 * @param int $uid Id.
	 * @return array<string, mixed>|null
	 */
	private static function user( int $uid ): ?array {
		return self::is_user( $uid ) ? AIC_System::user( get_userdata( $uid ) ) : null;
	}
}
