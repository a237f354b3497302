<?php
/**
 * The signature of a request.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Tells whether a request comes from the stage, unchanged and for the first time.
 */
final class AIC_Signature {

	/**
	 * Most milliseconds by which the clocks of both sides may differ.
	 */
	private const WINDOW = 60_000;

	/**
	 * Checks a request in the order of the protocol.
	 *
	 * @param WP_REST_Request $request   The request, as it came.
	 * @param string          $operation Name of the operation.
	 * @return array{user: int, pairing: AIC_Pairing} Uid of the acting user (0: none), and whose key signed.
	 * @throws AIC_Refusal When the request is not signed, or not any more.
	 */
	public static function check( WP_REST_Request $request, string $operation ): array {
		$key       = (string) $request->get_header( 'x_aic_key' );
		$time      = (string) $request->get_header( 'x_aic_time' );
		$nonce     = (string) $request->get_header( 'x_aic_nonce' );
		$user      = (string) $request->get_header( 'x_aic_user' );
		$signature = (string) $request->get_header( 'x_aic_signature' );
		$is_whole  = '' !== $key
			&& preg_match( '/^[0-9]{1,16}$/', $time )
			&& preg_match( '/^[\x21-\x7e]{16,64}$/', $nonce )
			&& preg_match( '/^[0-9]{1,16}$/', $user )
			&& preg_match( '/^[0-9a-f]{64}$/', $signature );
		if ( ! $is_whole ) {
			throw new AIC_Refusal( 'A header of the signature is missing or not of its form.', 'request.unsigned' );
		}
		$pairing = AIC_Pairing::with_key( $key );
		if ( ! $pairing ) {
			throw new AIC_Refusal( 'No key has this id.', 'key.unknown' );
		}
		$is_hello = 'hello' === $operation;
		$base     = $is_hello ? '*' : AIC_Bridge::base();
		$lines    = array( 'aic-v2', 'POST', $base, $operation, $key, $time, $nonce, $user, hash( 'sha256', $request->get_body() ) );
		$expected = hash_hmac( 'sha256', implode( "\n", $lines ), $pairing->key( 'bridge' ) );
		if ( ! hash_equals( $expected, $signature ) ) {
			throw new AIC_Refusal( 'The signature does not belong to this request.', 'signature.wrong' );
		}
		if ( ! $is_hello ) {
			self::check_freshness( (int) $time, $nonce );
			$pairing->end_previous();
		}
		return array( 'user' => (int) $user, 'pairing' => $pairing );
	}

	/**
	 * Refuses an old request, and one that was used before.
	 *
	 * @param int    $time  Milliseconds since the epoch.
	 * @param string $nonce The nonce.
	 * @throws AIC_Refusal When it is old or was used.
	 */
	private static function check_freshness( int $time, string $nonce ): void {
		$now = (int) ( microtime( true ) * 1000 );
		if ( abs( $now - $time ) > self::WINDOW ) {
			throw new AIC_Refusal( 'The clocks of the stage and of this site differ by more than 60 seconds.', 'time.outside' );
		}
		if ( ! AIC_Store::use_nonce( $nonce ) ) {
			throw new AIC_Refusal( 'A request with this nonce came before.', 'nonce.used' );
		}
	}
}
