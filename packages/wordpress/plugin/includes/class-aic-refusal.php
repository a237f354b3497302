<?php
/**
 * A refusal of the bridge.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

// phpcs:disable WordPress.Security.EscapeOutput.ExceptionNotEscaped -- A refusal is answered as JSON to the stage.

use BackendAiChat\Refused;

/**
 * A refusal in a sentence in English that the model reads.
 */
final class AIC_Refusal extends Refused {

	/**
	 * Refuses what WordPress refuses, in its words.
	 *
	 * @param mixed $answer What a function of WordPress has answered.
	 * @throws self When it is an error.
	 */
	public static function when_error( $answer ): void {
		if ( is_wp_error( $answer ) ) {
			throw new self( 'WordPress refused it: ' . $answer->get_error_message() );
		}
	}
}
