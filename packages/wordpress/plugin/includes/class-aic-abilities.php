<?php
/**
 * Abilities of other plugins.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * The abilities that an administrator has allowed, as functions of the protocol. Each has its own schema, and checks
 * the current user at each call. WordPress has had abilities since version 6.9.
 */
final class AIC_Abilities {

	/**
	 * The option with the allowed abilities: their versions by name. An ability whose version has changed is no longer
	 * allowed.
	 */
	public const ALLOWED = 'aic_abilities';

	/**
	 * The member that contains the input of an ability whose own input is not an object.
	 */
	private const BARE = 'input';

	/**
	 * The keywords of a schema that have the same meaning in WordPress and in JSON Schema.
	 */
	private const WORDS = array( 'title', 'description', 'default', 'type', 'enum', 'items', 'properties', 'additionalProperties', 'patternProperties', 'minProperties', 'maxProperties', 'minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems', 'anyOf', 'oneOf', 'required', 'const' );

	/**
	 * True if this WordPress supports abilities.
	 */
	public static function exist(): bool {
		return function_exists( 'wp_get_abilities' );
	}

	/**
	 * Returns the abilities of other plugins and of WordPress itself, by name.
	 *
	 * @return array<string, WP_Ability>
	 */
	public static function all(): array {
		$abilities = self::exist() ? wp_get_abilities() : array();
		$named     = array_combine( array_map( static fn( $ability ) => $ability->get_name(), $abilities ), $abilities );
		return array_filter( $named, static fn( $name ) => ! str_starts_with( $name, 'backend-ai-chat/' ), ARRAY_FILTER_USE_KEY );
	}

	/**
	 * Returns the allowed abilities that have not changed since an administrator allowed them.
	 *
	 * @return array<int, array<string, mixed>>
	 */
	public static function list(): array {
		return array_values(
			array_map(
				static fn( $ability ) => array(
					'name'        => $ability->get_name(),
					'title'       => $ability->get_label(),
					'description' => $ability->get_description(),
					'input'       => self::input( $ability ),
					'readOnly'    => self::is_readonly( $ability ),
					'version'     => self::version( $ability ),
				),
				array_filter( self::all(), array( self::class, 'is_allowed' ) )
			)
		);
	}

	/**
	 * True if an administrator has allowed the current version of an ability.
	 *
	 * @param WP_Ability $ability The ability.
	 */
	public static function is_allowed( $ability ): bool {
		$allowed = (array) get_option( self::ALLOWED, array() );
		return self::version( $ability ) === ( $allowed[ $ability->get_name() ] ?? '' );
	}

	/**
	 * Calls an ability as the current user.
	 *
	 * @param string               $name    The name of the ability.
	 * @param string               $version The version with which the call was planned.
	 * @param array<string, mixed> $input   The input.
	 * @param bool|null            $dry     True to check only if the user may make the call.
	 * @param string|null          $key     The key of the call, which is made only once for it.
	 * @return array{output: mixed}|null Null if the key was used before.
	 * @throws AIC_Refusal When the ability is not allowed, has changed, or refuses.
	 */
	public static function call( string $name, string $version, array $input, ?bool $dry, ?string $key ): ?array {
		$ability = self::all()[ $name ] ?? null;
		AIC_Refusal::when( ! $ability || ! self::is_allowed( $ability ), "There is no ability $name here, or an administrator has not allowed it." );
		AIC_Refusal::when( self::version( $ability ) !== $version, "The ability $name has changed. Nothing was done." );
		AIC_Refusal::when( ! $dry && null === $key && ! self::is_readonly( $ability ), 'An ability that may change something is called with a key.' );
		$given = self::given( $ability, $input );
		if ( $dry ) {
			AIC_Refusal::when_error( $ability->validate_input( $given ) );
			AIC_Refusal::when( true !== $ability->check_permissions( $given ), "This user may not use the ability $name with this input." );
			return array( 'output' => null );
		}
		// The key is stored before the call, so that a repeated request cannot make the call again. A transaction
		// cannot undo every effect of an ability.
		if ( null !== $key && ! ( new AIC_Store() )->add( AIC_Put::name( "ability/$key" ), '{}', time() + YEAR_IN_SECONDS ) ) {
			return null;
		}
		$output = $ability->execute( $given );
		AIC_Refusal::when_error( $output );
		return array( 'output' => $output );
	}

	/**
	 * True if an ability declares that it only reads.
	 *
	 * @param WP_Ability $ability The ability.
	 */
	public static function is_readonly( $ability ): bool {
		$said = $ability->get_meta()['annotations'] ?? array();
		return true === ( $said['readonly'] ?? null ) && true !== ( $said['destructive'] ?? null );
	}

	/**
	 * Returns a text that differs after each change of an ability's input, or of its read-only declaration. Its labels
	 * do not count, because they depend on the language of the user.
	 *
	 * @param WP_Ability $ability The ability.
	 */
	public static function version( $ability ): string {
		$parts = array( $ability->get_name(), self::is_readonly( $ability ), self::without_words( $ability->get_input_schema() ) );
		return hash( 'sha256', (string) wp_json_encode( $parts ) );
	}

	/**
	 * Returns a schema without its titles and descriptions. A property with such a name stays, because it is a schema
	 * and not a text.
	 *
	 * @param mixed $schema A schema, or a part of one.
	 * @return mixed
	 */
	private static function without_words( $schema ) {
		if ( ! is_array( $schema ) ) {
			return is_object( $schema ) ? null : $schema;
		}
		$words = array_filter( array_intersect_key( $schema, array_flip( array( 'title', 'description' ) ) ), 'is_string' );
		return array_map( array( self::class, 'without_words' ), array_diff_key( $schema, $words ) );
	}

	/**
	 * True if the input of an ability is an object.
	 *
	 * @param WP_Ability $ability The ability.
	 */
	private static function takes_object( $ability ): bool {
		$schema = $ability->get_input_schema();
		return ! $schema || in_array( 'object', (array) ( $schema['type'] ?? 'object' ), true );
	}

	/**
	 * Returns the input of a call in the form that an ability accepts.
	 *
	 * @param WP_Ability           $ability The ability.
	 * @param array<string, mixed> $input   The input of the protocol.
	 * @return mixed
	 */
	private static function given( $ability, array $input ) {
		if ( ! $ability->get_input_schema() ) {
			return null;
		}
		return self::takes_object( $ability ) ? $input : ( $input[ self::BARE ] ?? null );
	}

	/**
	 * Returns the input schema of an ability in the form of the protocol: the JSON Schema of an object.
	 *
	 * @param WP_Ability $ability The ability.
	 * @return array<string, mixed>
	 */
	private static function input( $ability ): array {
		$schema = self::schema( $ability->get_input_schema() );
		if ( self::takes_object( $ability ) ) {
			return array( 'type' => 'object' ) + $schema + array( 'properties' => (object) array() );
		}
		return array(
			'type'       => 'object',
			'properties' => array( self::BARE => $schema ),
			'required'   => array( self::BARE ),
		);
	}

	/**
	 * Converts a schema of WordPress to JSON Schema. In WordPress each property itself says that it is required, and an
	 * empty list can mean an empty object.
	 *
	 * @param array<string, mixed> $schema The schema.
	 * @return array<string, mixed>
	 */
	private static function schema( array $schema ): array {
		$listed   = is_array( $schema['required'] ?? null ) ? $schema['required'] : array();
		$schemas  = static fn( string $word ) => array_filter( (array) ( $schema[ $word ] ?? array() ), 'is_array' );
		$needed   = array_filter( $schemas( 'properties' ), static fn( $property ) => true === ( $property['required'] ?? null ) );
		$required = array( ...$listed, ...array_map( 'strval', array_keys( $needed ) ) );
		$schema   = array_intersect_key( $schema, array_flip( self::WORDS ) );
		foreach ( $schema as $word => $value ) {
			$schema[ $word ] = match ( $word ) {
				'properties', 'patternProperties' => (object) array_map( array( self::class, 'schema' ), $schemas( $word ) ),
				'anyOf', 'oneOf'                  => array_map( array( self::class, 'schema' ), array_values( $schemas( $word ) ) ),
				'items', 'additionalProperties'   => is_array( $value ) ? self::schema( $value ) : $value,
				default                           => $value,
			};
		}
		$is_map = array() === ( $schema['default'] ?? null ) && in_array( 'object', (array) ( $schema['type'] ?? '' ), true );
		unset( $schema['required'] );
		return array_filter( array( 'required' => array_values( array_unique( $required ) ) ) ) + ( $is_map ? array( 'default' => (object) array() ) : array() ) + $schema;
	}
}
