<?php
/**
 * The question of an operation.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Takes the members of a question, each of its form.
 */
final class AIC_Input {

	/**
	 * Wraps a question.
	 *
	 * @param array<string, mixed> $input The question.
	 */
	public function __construct( private readonly array $input ) {}

	/**
	 * A whole number that is not negative.
	 *
	 * @param string $name Name of the member.
	 * @throws AIC_Refusal When it is none.
	 */
	public function number( string $name ): int {
		$value = $this->input[ $name ] ?? null;
		if ( ! is_int( $value ) || $value < 0 ) {
			throw self::wrong( $name );
		}
		return $value;
	}

	/**
	 * The same, where it may be missing.
	 *
	 * @param string $name Name of the member.
	 */
	public function number_or_null( string $name ): ?int {
		return isset( $this->input[ $name ] ) ? $this->number( $name ) : null;
	}

	/**
	 * A text.
	 *
	 * @param string $name Name of the member.
	 * @throws AIC_Refusal When it is none.
	 */
	public function text( string $name ): string {
		$value = $this->input[ $name ] ?? null;
		if ( ! is_string( $value ) ) {
			throw self::wrong( $name );
		}
		return $value;
	}

	/**
	 * The same, where it may be missing.
	 *
	 * @param string $name Name of the member.
	 */
	public function text_or_null( string $name ): ?string {
		return isset( $this->input[ $name ] ) ? $this->text( $name ) : null;
	}

	/**
	 * The key of a write.
	 *
	 * @param string $name Name of the member.
	 * @throws AIC_Refusal When it is none.
	 */
	public function key( string $name ): string {
		$key = $this->text( $name );
		if ( ! preg_match( '/^[\x21-\x7e]{1,191}$/', $key ) ) {
			throw self::wrong( $name );
		}
		return $key;
	}

	/**
	 * A write.
	 *
	 * @param string $name Name of the member.
	 * @return array<string, mixed>
	 */
	public function write( string $name ): array {
		return self::checked( $name, $this->input[ $name ] ?? null );
	}

	/**
	 * Several writes.
	 *
	 * @param string $name Name of the member.
	 * @return array<int, array<string, mixed>>
	 */
	public function writes( string $name ): array {
		return array_map( static fn( $write ) => self::checked( $name, $write ), $this->list( $name ) );
	}

	/**
	 * Records with their versions.
	 *
	 * @param string $name Name of the member.
	 * @return array<int, array<string, mixed>>
	 * @throws AIC_Refusal When one is not whole.
	 */
	public function versions( string $name ): array {
		$versions = $this->list( $name );
		foreach ( $versions as $seen ) {
			if ( ! is_array( $seen ) || ! is_string( $seen['table'] ?? null ) || ! is_int( $seen['uid'] ?? null ) || ! is_string( $seen['version'] ?? null ) ) {
				throw self::wrong( $name );
			}
		}
		return $versions;
	}

	/**
	 * A record by table and uid, where it may be missing.
	 *
	 * @param string $name Name of the member.
	 * @return array{table: string, uid: int}|null
	 * @throws AIC_Refusal When it is no record.
	 */
	public function place_or_null( string $name ): ?array {
		$place = $this->input[ $name ] ?? null;
		if ( null === $place ) {
			return null;
		}
		if ( ! is_array( $place ) || ! is_string( $place['table'] ?? null ) || ! is_int( $place['uid'] ?? null ) ) {
			throw self::wrong( $name );
		}
		return $place;
	}

	/**
	 * A list.
	 *
	 * @param string $name Name of the member.
	 * @return array<int, mixed>
	 * @throws AIC_Refusal When it is none.
	 */
	private function list( string $name ): array {
		$value = $this->input[ $name ] ?? null;
		if ( ! is_array( $value ) || ! array_is_list( $value ) ) {
			throw self::wrong( $name );
		}
		return $value;
	}

	/**
	 * A write of its form.
	 *
	 * @param string $name  Name of the member.
	 * @param mixed  $write The write.
	 * @return array<string, mixed>
	 * @throws AIC_Refusal When it is none.
	 */
	private static function checked( string $name, $write ): array {
		$kind     = is_array( $write ) ? ( $write['kind'] ?? '' ) : '';
		$is_whole = is_int( $write[ 'create' === $kind ? 'pid' : 'uid' ] ?? null )
			&& is_string( $write['table'] ?? null )
			&& match ( $kind ) {
				'update', 'create' => is_array( $write['fields'] ?? null ),
				'state'            => is_string( $write['state'] ?? null )
					&& is_string( $write['from'] ?? '' )
					&& is_string( $write['until'] ?? '' ),
				'restore'          => is_string( $write['revision'] ?? null ),
				'delete', 'undelete' => true,
				default            => false,
			};
		if ( ! $is_whole || ! self::are_edits( $write['edits'] ?? array() ) ) {
			throw self::wrong( $name );
		}
		return $write;
	}

	/**
	 * Whether these are passages to be replaced.
	 *
	 * @param mixed $edits The edits.
	 */
	private static function are_edits( $edits ): bool {
		if ( ! is_array( $edits ) ) {
			return false;
		}
		foreach ( $edits as $edit ) {
			$is_whole = is_array( $edit )
				&& is_string( $edit['field'] ?? null )
				&& is_string( $edit['find'] ?? null )
				&& '' !== $edit['find']
				&& is_string( $edit['replace'] ?? null );
			if ( ! $is_whole ) {
				return false;
			}
		}
		return true;
	}

	/**
	 * The refusal of a member.
	 *
	 * @param string $name Name of the member.
	 */
	private static function wrong( string $name ): AIC_Refusal {
		return new AIC_Refusal( 'request.invalid', "The member $name is missing or not of its form." );
	}
}
