<?php
/**
 * The question of an operation.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Checks questions against their form.
 */
final class AIC_Input {

	private const PLACE = array( 'table' => 'text', 'uid' => 'id' );

	/**
	 * The members of each question with their form: see `is`. A form with `?` may be missing or null.
	 */
	private const QUESTIONS = array(
		'capabilities' => array(),
		'user'         => array( 'uid' => 'id' ),
		'languages'    => array(),
		'page'         => array( 'uid' => 'id' ),
		'pageTree'     => array( 'root' => 'id', 'depth' => 'id', 'limit' => 'id' ),
		'pageContent'  => array( 'uid' => 'id' ),
		'tables'       => array(),
		'search'       => array( 'text' => 'text', 'table' => 'text?', 'limit' => 'id' ),
		'list'         => array( 'table' => 'text', 'page' => 'id?', 'limit' => 'id', 'offset' => 'id' ),
		'record'       => self::PLACE + array( 'revision' => 'text?' ),
		'picture'      => self::PLACE,
		'history'      => self::PLACE + array( 'limit' => 'id' ),
		'log'          => array( 'level' => 'text', 'since' => 'text?', 'exceptions' => 'boolean?', 'offset' => 'id?', 'limit' => 'id' ),
		'users'        => array(),
		'facts'        => array(),
		'put'          => array( 'put' => 'put', 'dry' => 'boolean?', 'key' => 'key?', 'correlationId' => 'text?', 'versions' => 'versions' ),
		'settle'       => array( 'key' => 'key' ),
	);

	private const PUT = array(
		'table'  => 'text',
		'uid'    => 'id?',
		'fields' => 'map?',
		'state'  => 'state?',
		'place'  => 'place?',
		'bin'    => 'boolean?',
		'remove' => 'boolean?',
	);

	/**
	 * The question of an operation with all its members; those that are missing are null.
	 *
	 * @param string               $operation Name of the operation.
	 * @param array<string, mixed> $input     The question.
	 * @return array<string, mixed>
	 * @throws AIC_Refusal When there is no such operation, or a member is not of its form.
	 */
	public static function of( string $operation, array $input ): array {
		$members = self::QUESTIONS[ $operation ] ?? null;
		if ( null === $members ) {
			throw new AIC_Refusal( 'operation.unknown', 'This version of the bridge does not have the operation.' );
		}
		foreach ( $members as $name => $form ) {
			if ( ! self::is( $form, $input[ $name ] ?? null ) ) {
				throw new AIC_Refusal( 'request.invalid', "The member $name is missing or not of its form." );
			}
		}
		return $input + array_fill_keys( array_keys( $members ), null );
	}

	/**
	 * True if a value has a form.
	 *
	 * @param string $form  Name of the form.
	 * @param mixed  $value The value.
	 */
	private static function is( string $form, $value ): bool {
		if ( str_ends_with( $form, '?' ) ) {
			return null === $value || self::is( rtrim( $form, '?' ), $value );
		}
		return match ( $form ) {
			'id'       => is_int( $value ) && $value >= 0,
			'text'     => is_string( $value ),
			'boolean'  => is_bool( $value ),
			'map'      => is_array( $value ),
			'key'      => is_string( $value ) && 1 === preg_match( '/^[\x21-\x7e]{1,191}$/', $value ),
			'put'      => self::has( self::PUT, $value ) && array_key_exists( 'uid', $value ),
			'state'    => self::has( array( 'state' => 'text', 'from' => 'text?', 'until' => 'text?' ), $value ),
			'place'    => self::has( array( 'pid' => 'id?' ), $value ),
			'version'  => self::has( self::PLACE + array( 'version' => 'text' ), $value ),
			'versions' => is_array( $value ) && array_is_list( $value ) && ! array_filter( $value, static fn( $one ) => ! self::is( 'version', $one ) ),
		};
	}

	/**
	 * True if a value has these members, each of its form.
	 *
	 * @param array<string, string> $members Forms by name.
	 * @param mixed                 $value   The value.
	 */
	private static function has( array $members, $value ): bool {
		return is_array( $value ) && ! array_filter( array_keys( $members ), static fn( $name ) => ! self::is( $members[ $name ], $value[ $name ] ?? null ) );
	}
}
