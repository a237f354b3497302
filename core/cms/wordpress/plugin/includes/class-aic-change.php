<?php
/**
 * A change that is wanted.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Turns a wanted write into the fields that WordPress would store, as the current user.
 */
final class AIC_Change {

	/**
	 * The values that a write wants for its fields, with its edits made in what the record says.
	 *
	 * @param array<string, mixed> $values Values of the record, as the user may read them.
	 * @param array<string, mixed> $write  The write.
	 * @return array<string, mixed>
	 * @throws AIC_Refusal When a passage is not there exactly once.
	 */
	public static function wanted( array $values, array $write ): array {
		if ( 'state' === $write['kind'] ) {
			return self::of_state( $values, $write );
		}
		if ( 'restore' === $write['kind'] ) {
			return AIC_History::restored( $values, $write );
		}
		$wanted = $write['fields'];
		foreach ( $write['edits'] ?? array() as $edit ) {
			$name = $edit['field'];
			$text = $wanted[ $name ] ?? $values[ $name ] ?? null;
			if ( ! is_string( $text ) ) {
				throw AIC_Refusal::for_model( "There is no text in a field $name. Use update_record for other values." );
			}
			$found = substr_count( $text, $edit['find'] );
			if ( 0 === $found ) {
				throw AIC_Refusal::for_model( "The field $name does not contain this passage. Read the record and copy the passage exactly, markup included." );
			}
			if ( $found > 1 ) {
				throw AIC_Refusal::for_model( "The field $name contains this passage $found times. Take more of the text around it." );
			}
			$wanted[ $name ] = str_replace( $edit['find'], $edit['replace'], $text );
		}
		return $wanted;
	}

	/**
	 * The fields that a state comes to.
	 *
	 * @param array<string, mixed> $values Values of the record.
	 * @param array<string, mixed> $write  The write.
	 * @return array<string, mixed>
	 * @throws AIC_Refusal When WordPress has no such state for such a time.
	 */
	private static function of_state( array $values, array $write ): array {
		if ( ! isset( $values['status'] ) ) {
			throw AIC_Refusal::for_model( "A {$write['table']} has no state." );
		}
		if ( isset( $write['until'] ) ) {
			throw AIC_Refusal::for_model( 'WordPress does not end what is public by itself: leave until out.' );
		}
		if ( isset( $write['from'] ) !== ( 'future' === $write['state'] ) ) {
			throw AIC_Refusal::for_model( 'The state future needs from, a time to come; no other state has one.' );
		}
		if ( 'publish' === $write['state'] && strtotime( $values['date'] ) > time() ) {
			throw AIC_Refusal::for_model( 'Its date is to come: change the field date with update_record as well.' );
		}
		return array( 'status' => $write['state'] ) + ( isset( $write['from'] ) ? array( 'date' => $write['from'] ) : array() );
	}

	/**
	 * The wanted values of fields, each as it would be stored.
	 *
	 * @param WP_Post_Type         $type   The type.
	 * @param WP_Post|null         $post   The post; null: a new one.
	 * @param array<string, mixed> $wanted Values by field.
	 * @return array<string, mixed>
	 * @throws AIC_Refusal When a field is not there, may not be changed or has a wrong value.
	 */
	public static function stored( WP_Post_Type $type, ?WP_Post $post, array $wanted ): array {
		if ( ! $wanted ) {
			throw AIC_Refusal::for_model( 'No field is named: give at least one.' );
		}
		$fields = AIC_Types::fields( $type );
		$stored = array();
		foreach ( $wanted as $name => $value ) {
			$field = $fields[ $name ] ?? null;
			if ( ! $field ) {
				$known = implode( ', ', array_keys( array_filter( $fields, static fn( $field ) => ! $field['readOnly'] ) ) );
				throw AIC_Refusal::for_model( "There is no field $name in $type->name. Fields: $known." );
			}
			if ( $field['readOnly'] ) {
				throw AIC_Refusal::for_model( "The field $name cannot be changed by this user." );
			}
			$stored[ $name ] = AIC_Value::of( $type, $post, $field, $value );
		}
		return self::scheduled( $type, $post, $stored );
	}

	/**
	 * What WordPress makes of a state and a time together: a time to come is a schedule.
	 *
	 * @param WP_Post_Type         $type   The type.
	 * @param WP_Post|null         $post   The post; null: a new one.
	 * @param array<string, mixed> $stored Values by field.
	 * @return array<string, mixed>
	 * @throws AIC_Refusal When a schedule has no time to come.
	 */
	private static function scheduled( WP_Post_Type $type, ?WP_Post $post, array $stored ): array {
		if ( ! $post ) {
			// What the assistant makes is never public.
			return 'attachment' === $type->name ? $stored : array( 'status' => 'draft' ) + $stored;
		}
		$status  = $stored['status'] ?? $post->post_status;
		$date    = $stored['date'] ?? AIC_Record::value( $post, 'date' );
		$is_next = strtotime( $date ) > time();
		if ( 'future' === $status && ! $is_next ) {
			throw AIC_Refusal::for_model( 'The state future needs a date to come.' );
		}
		if ( 'publish' === $status && $is_next && ( isset( $stored['status'] ) || isset( $stored['date'] ) ) ) {
			$stored['status'] = 'future';
		}
		return $stored;
	}
}
