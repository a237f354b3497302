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

	private const ROUTE = '#^/aic/v2/([a-z][a-z-]*)$#';

	/**
	 * An answer is at most so long, in bytes.
	 */
	private const MOST = 4_194_304;

	/**
	 * A batch holds at most so many calls.
	 */
	private const CALLS = 20;

	/**
	 * Operations that act for no user.
	 */
	private const ANONYMOUS = array( 'hello', 'capabilities', 'user', 'languages' );

	/**
	 * Operations that are never part of a batch.
	 */
	private const ALONE = array( 'hello', 'batch', 'write', 'settle', 'undo' );

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
	 * What the site takes for the base address of the bridge.
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
			$input  = json_decode( $request->get_body(), true );
			if ( ! is_array( $input ) ) {
				throw new AIC_Refusal( 'request.invalid', 'The body is no JSON object.' );
			}
			$answer = 'hello' === $operation
				? self::hello( $caller['key'] )
				: self::as_user( $operation, $caller['user'], static fn() => 'batch' === $operation ? self::batch( $input ) : self::run( $operation, $input ) );
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
	 * What this site believes of itself and of the line.
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
			// Asked of WordPress itself: no request is sent.
			'outgoing'  => $pairing && ! ( new WP_Http() )->block_request( $pairing->origin ),
		);
	}

	/**
	 * Does something as a user, in the language of that user.
	 *
	 * @param string   $operation Name of the operation.
	 * @param int      $user_id   The user; 0: no user.
	 * @param callable $act       What to do.
	 * @return mixed
	 * @throws AIC_Refusal When there is no such user.
	 */
	private static function as_user( string $operation, int $user_id, callable $act ) {
		$is_anonymous = in_array( $operation, self::ANONYMOUS, true );
		if ( ! $is_anonymous && ( 0 === $user_id || ! get_userdata( $user_id ) ) ) {
			throw new AIC_Refusal( 'user.unknown', 'There is no such user.' );
		}
		wp_set_current_user( $user_id );
		$is_switched = $user_id > 0 && switch_to_locale( get_user_locale( $user_id ) );
		try {
			return $act();
		} finally {
			if ( $is_switched ) {
				restore_previous_locale();
			}
		}
	}

	/**
	 * Answers several calls in their order.
	 *
	 * @param array<string, mixed> $input The calls.
	 * @return array<int, array<string, mixed>>
	 * @throws AIC_Refusal When the body is no batch.
	 */
	private static function batch( array $input ): array {
		$calls = $input['calls'] ?? null;
		if ( ! is_array( $calls ) || ! $calls || count( $calls ) > self::CALLS ) {
			throw new AIC_Refusal( 'request.invalid', 'A batch has 1 to 20 calls.' );
		}
		return array_map(
			static function ( $call ): array {
				try {
					$operation = is_array( $call ) ? ( $call['operation'] ?? null ) : null;
					if ( ! is_string( $operation ) || ! is_array( $call['input'] ?? null ) || in_array( $operation, self::ALONE, true ) ) {
						throw new AIC_Refusal( 'request.invalid', 'This call cannot be part of a batch.' );
					}
					return array( 'result' => self::run( $operation, $call['input'] ) );
				} catch ( AIC_Refusal $refusal ) {
					return $refusal->body();
				}
			},
			array_values( $calls )
		);
	}

	/**
	 * Runs one operation.
	 *
	 * @param string               $operation Its name.
	 * @param array<string, mixed> $input     Its question.
	 * @return mixed
	 * @throws AIC_Refusal When it is not known, or its question is not whole.
	 */
	private static function run( string $operation, array $input ) {
		$in = new AIC_Input( $input );
		return match ( $operation ) {
			'capabilities' => AIC_Capabilities::all(),
			'user'         => self::user( $in->number( 'uid' ) ),
			'languages'    => array(),
			'page'         => AIC_Pages::one( $in->number( 'uid' ) ),
			'page-tree'    => AIC_Pages::tree( $in->number( 'root' ), $in->number( 'depth' ), $in->number( 'limit' ) ),
			'page-content' => AIC_Pages::content( $in->number( 'uid' ) ),
			'tables'       => AIC_Types::tables(),
			'search'       => AIC_Reader::search( $in->text( 'text' ), $in->text_or_null( 'table' ), $in->number( 'limit' ) ),
			'list'         => AIC_Reader::list( $in->text( 'table' ), $in->number_or_null( 'page' ), $in->number( 'limit' ), $in->number( 'offset' ) ),
			'record'       => AIC_Reader::record( $in->text( 'table' ), $in->number( 'uid' ) ),
			'picture'      => AIC_Picture::of( $in->text( 'table' ), $in->number( 'uid' ) ),
			'history'      => AIC_History::of( $in->text( 'table' ), $in->number( 'uid' ), $in->number( 'limit' ) ),
			'log'          => AIC_System::log( $in->text( 'level' ), $in->text_or_null( 'since' ), $in->number( 'limit' ) ),
			'exception'    => AIC_System::exception( $in->number( 'index' ) ),
			'users'        => AIC_System::users(),
			'facts'        => AIC_System::facts(),
			'preview'      => AIC_Preview::of( $in->write( 'write' ), $in->writes( 'earlier' ) ),
			'write'        => AIC_Writer::write( $in->write( 'write' ), $in->key( 'key' ), $in->text( 'correlationId' ), $in->versions( 'versions' ) ),
			'settle'       => AIC_Writer::settle( $in->key( 'key' ) ),
			'changes-of'   => AIC_Undo::count( $in->text( 'runId' ) ),
			'undo'         => AIC_Undo::of( $in->text( 'runId' ), $in->place_or_null( 'only' ) ),
			default        => throw new AIC_Refusal( 'operation.unknown', 'This version of the bridge does not have the operation.' ),
		};
	}

	/**
	 * A user as the stage knows users; null: there is none.
	 *
	 * @param int $uid Id.
	 * @return array<string, mixed>|null
	 */
	private static function user( int $uid ): ?array {
		$user = $uid > 0 ? get_userdata( $uid ) : false;
		return $user ? array(
			'uid'      => $user->ID,
			'username' => $user->user_login,
			'name'     => $user->display_name,
			'isAdmin'  => user_can( $user, 'manage_options' ),
			'groups'   => array_values( $user->roles ),
			'lang'     => get_user_locale( $user ),
		) : null;
	}
}
