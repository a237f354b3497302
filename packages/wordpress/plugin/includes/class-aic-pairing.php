<?php
/**
 * The pairing of the site with a stage.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

use BackendAiChat\Line;
use BackendAiChat\Pairing;

/**
 * The codes that an administrator has pasted.
 */
final class AIC_Pairing {

	public const CURRENT  = 'aic_pairing';
	public const PREVIOUS = 'aic_pairing_previous';

	/**
	 * The pairing in use; null before the first one.
	 */
	public static function current(): ?Pairing {
		return Pairing::of( (string) get_option( self::CURRENT, '' ) );
	}

	/**
	 * The pairing before this one, so that a stage may change over. It is kept until the stage uses the new key, for
	 * a day at most. Null: there is none.
	 */
	public static function previous(): ?Pairing {
		return Pairing::of( (string) get_transient( self::PREVIOUS ) );
	}

	/**
	 * The line to the stage; without a pairing it knows no key.
	 */
	public static function line(): Line {
		return new Line( array_values( array_filter( array( self::current(), self::previous() ) ) ), AIC_Bridge::base() );
	}

	/**
	 * Sends a request to the stage.
	 *
	 * @param string                $path    The path.
	 * @param array<string, mixed>  $body    The body.
	 * @param int                   $timeout Seconds to wait at most.
	 * @param array<string, string> $headers Further headers.
	 * @return array<string, mixed>|WP_Error
	 */
	public static function post( string $path, array $body, int $timeout, array $headers = array() ) {
		$headers += array( 'Content-Type' => 'application/json' );
		$request  = array( 'timeout' => $timeout, 'headers' => $headers, 'body' => (string) wp_json_encode( $body ) );
		return wp_remote_post( self::current()?->origin . $path, $request );
	}

	/**
	 * Ends the earlier pairing once the stage uses the key of this one.
	 *
	 * @param string $key_id Id of the key that the stage has used.
	 */
	public static function end_previous( string $key_id ): void {
		if ( self::previous() && self::current()?->keyId === $key_id ) {
			delete_transient( self::PREVIOUS );
		}
	}

	/**
	 * Keeps the code before for a while, when another one comes.
	 *
	 * @param mixed $before The code before.
	 * @param mixed $code   The other one.
	 */
	public static function keep_previous( $before, $code ): void {
		if ( '' === $code || '' === $before ) {
			delete_transient( self::PREVIOUS );
		} else {
			set_transient( self::PREVIOUS, $before, DAY_IN_SECONDS );
		}
	}
}
