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
	 * Answers a request; no cache keeps the answer.
	 *
	 * @param WP_REST_Request $request   The request.
	 * @param string          $operation Name of the operation.
	 */
	private static function answer( WP_REST_Request $request, string $operation ): WP_REST_Response {
		$status = 200;
		try {
			$caller = AIC_Signature::check( $request, $operation );
			wp_set_current_user( $caller['user'] );
			switch_to_locale( get_user_locale() );
			$input  = json_decode( $request->get_body(), true );
			$answer = 'hello' === $operation ? self::hello( $caller['pairing'] ) : self::run( $operation, $input );
			$body   = array( 'result' => $answer );
			if ( strlen( (string) wp_json_encode( $body ) ) > self::MOST ) {
				throw new AIC_Refusal( 'The answer would be longer than 4 MB.', 'answer.tooLarge' );
			}
		} catch ( AIC_Refusal $refusal ) {
			$status = $refusal->status();
			$body   = $refusal->body();
		}
		return new WP_REST_Response( $body, $status, array( 'Cache-Control' => 'no-store' ) );
	}

	/**
	 * This site's view of itself and of the line.
	 *
	 * @param AIC_Pairing $pairing The pairing whose key signed.
	 * @return array<string, mixed>
	 */
	private static function hello( AIC_Pairing $pairing ): array {
		return array(
			'base'      => self::base(),
			'time'      => (int) ( microtime( true ) * 1000 ),
			'keyId'     => $pairing->key_id(),
			'name'      => 'WordPress',
			'version'   => get_bloginfo( 'version' ),
			'protocols' => array( 2 ),
			// WordPress answers this itself: no request is sent.
			'outgoing'  => ! ( new WP_Http() )->block_request( $pairing->origin ),
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
						throw new AIC_Refusal( 'This call cannot be part of a batch.', 'request.invalid' );
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
	 * The members of the question of an operation in the order of `questions.json`; those that are missing are null.
	 *
	 * @param string $operation Name of the operation.
	 * @param mixed  $input     The question as it came.
	 * @return array<int, mixed>
	 * @throws AIC_Refusal When there is no such operation, or a member is not of its form.
	 */
	private static function question( string $operation, $input ): array {
		static $forms = null;
		$forms      ??= wp_json_file_decode( __DIR__ . '/../questions.json', array( 'associative' => true ) );
		$properties   = $forms[ $operation ]
			?? throw new AIC_Refusal( 'This version of the bridge does not have the operation.', 'operation.unknown' );
		$form         = array( 'type' => 'object', 'properties' => $properties );
		$valid        = rest_validate_value_from_schema( $input, $form, $operation );
		if ( is_wp_error( $valid ) ) {
			throw new AIC_Refusal( $valid->get_error_message(), 'request.invalid' );
		}
		$members = rest_sanitize_value_from_schema( $input, $form );
		return array_map( static fn( $name ) => $members[ $name ] ?? null, array_keys( $properties ) );
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
			throw new AIC_Refusal( 'There is no such user.', 'user.unknown' );
		}
		$is_admin = current_user_can( 'manage_options' );
		return match ( $operation ) {
			'batch'        => self::batch( ...$in ),
			'capabilities' => AIC_System::capabilities(),
			'user'         => self::is_user( ...$in ) ? AIC_System::user( get_userdata( ...$in ) ) : null,
			'languages'    => array(),
			'page'         => AIC_Reader::page( ...$in ),
			'pageTree'     => AIC_Reader::tree( ...$in ),
			'pageContent'  => AIC_Reader::content( ...$in ),
			'tables'       => AIC_Types::tables(),
			'search'       => AIC_Reader::search( ...$in ),
			'list'         => AIC_Reader::list( ...$in ),
			'record'       => AIC_Reader::record( ...$in ),
			'picture'      => AIC_Picture::of( ...$in ),
			'history'      => AIC_History::of( ...$in ),
			'log'          => $is_admin ? AIC_System::log( ...$in ) : array(),
			'users'        => $is_admin ? AIC_System::users() : array(),
			'facts'        => $is_admin ? AIC_System::facts() : array(),
			'put'          => AIC_Put::run( ...$in ),
			'settle'       => AIC_Store::once( ...$in, act: static fn() => array( 'state' => 'void' ) ),
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
}
