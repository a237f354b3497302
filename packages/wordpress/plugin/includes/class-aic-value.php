<?php
/**
 * The wanted values of a change.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

use BackendAiChat\Entry;

// phpcs:disable WordPress.Security.EscapeOutput.ExceptionNotEscaped -- A refusal is answered as JSON to the stage.

/**
 * Checks wanted values as the current user, and converts them to the form that WordPress stores.
 */
final class AIC_Value {

	/**
	 * Returns the wanted values of fields in their stored form.
	 *
	 * @param WP_Post_Type         $type   The type.
	 * @param WP_Post|null         $post   The post; null for a new post.
	 * @param array<string, mixed> $wanted Values by field.
	 * @param string               $run    The run of the change; an undo may leave a required field empty, and restore any state.
	 * @return array<string, mixed>
	 * @throws AIC_Refusal When a field does not exist, may not be changed or has a wrong value.
	 */
	public static function all( WP_Post_Type $type, ?WP_Post $post, array $wanted, string $run ): array {
		$fields  = AIC_Types::fields( $type );
		$stored  = array();
		$is_undo = str_ends_with( $run, '/undo' );
		if ( $is_undo && in_array( 'publish', $fields['status']['options'] ?? array(), true ) ) {
			// An undo also restores a state that another plugin registered.
			$fields['status']['options'] = get_post_stati();
		}
		// A record in the bin has no status, so the undo of a restore contains no status.
		foreach ( isset( $wanted['status'] ) ? $wanted : array_diff_key( $wanted, array( 'status' => true ) ) as $name => $value ) {
			$field = $fields[ $name ] ?? null;
			if ( ! $field ) {
				$known = implode( ', ', array_keys( array_filter( $fields, static fn( $field ) => ! $field['readOnly'] ) ) );
				throw new AIC_Refusal( "There is no field $name in $type->name. Fields: $known." );
			}
			AIC_Refusal::when( $field['readOnly'], "The field $name cannot be changed by this user." );
			if ( $post && 'content' === $name ) {
				AIC_Refusal::when( '' !== AIC_Builder::refusal( $post ), AIC_Builder::refusal( $post ) );
			}
			$field['required'] = $field['required'] && ! $is_undo;
			$stored[ $name ]   = self::of( $type, $post, $field, $value );
		}
		return self::addressed( $type, $post, $post ? self::scheduled( $post, $stored ) : $stored );
	}

	/**
	 * Returns the fields that a state sets.
	 *
	 * @param WP_Post_Type              $type  The type.
	 * @param WP_Post                   $post  The post.
	 * @param array<string, mixed>|null $state The state, with its start time; null for no state.
	 * @return array<string, mixed>
	 * @throws AIC_Refusal When WordPress does not support the state at that time.
	 */
	public static function of_state( WP_Post_Type $type, WP_Post $post, ?array $state ): array {
		if ( null === $state ) {
			return array();
		}
		AIC_Refusal::when( 'attachment' === $type->name, "A $type->name has no state." );
		AIC_Refusal::when( isset( $state['until'] ), 'WordPress does not end what is public by itself: leave until out.' );
		AIC_Refusal::when( isset( $state['from'] ) !== ( 'future' === $state['state'] ), 'The state future needs from, a time to come; no other state has one.' );
		$is_later = 'publish' === $state['state'] && strtotime( (string) AIC_Record::date( $post ) ) > time();
		AIC_Refusal::when( $is_later, 'Its date is to come: change the field date with update_record as well.' );
		return array( 'status' => $state['state'] ) + ( isset( $state['from'] ) ? array( 'date' => $state['from'] ) : array() );
	}

	/**
	 * Combines a state and a time into WordPress's state: a future time makes a schedule.
	 *
	 * @param WP_Post              $post   The post.
	 * @param array<string, mixed> $stored Values by field.
	 * @return array<string, mixed>
	 * @throws AIC_Refusal When a scheduled state has no future time.
	 */
	private static function scheduled( WP_Post $post, array $stored ): array {
		$status  = $stored['status'] ?? $post->post_status;
		$is_next = strtotime( (string) ( $stored['date'] ?? AIC_Record::date( $post ) ) ) > time();
		AIC_Refusal::when( 'future' === $status && ! $is_next, 'The state future needs a date to come.' );
		$is_dateless = array_key_exists( 'date', $stored ) && null === $stored['date'];
		AIC_Refusal::when( $is_dateless && ! in_array( $status, get_post_stati( array( 'date_floating' => true ) ), true ), 'Only a draft has no date.' );
		if ( 'publish' === $status && $is_next && ( isset( $stored['status'] ) || isset( $stored['date'] ) ) ) {
			$stored['status'] = 'future';
		}
		return $stored;
	}

	/**
	 * Returns one value in its stored form.
	 *
	 * @param WP_Post_Type         $type  The type.
	 * @param WP_Post|null         $post  The post; null for a new post.
	 * @param array<string, mixed> $field The field.
	 * @param mixed                $value The wanted value.
	 * @return mixed
	 * @throws AIC_Refusal When the value is not valid.
	 */
	private static function of( WP_Post_Type $type, ?WP_Post $post, array $field, $value ) {
		return match ( $field['name'] ) {
			'title', 'content', 'excerpt' => self::fitting( $field, self::text( $field, $value ), $post ),
			'alt'            => sanitize_text_field( self::text( $field, $value ) ),
			'slug'           => sanitize_title( self::text( $field, $value ) ),
			'status'         => self::status( $type, $field, $value ),
			'date'           => self::date( $value ),
			'parent'         => self::parent( $type, $post, self::number( $field, $value ) ),
			'menu_order'     => self::number( $field, $value ),
			'featured_media' => self::picture( self::number( $field, $value ) ),
			default          => match ( true ) {
				isset( $field['from'] ) => AIC_Meta::wanted( $post, $field, $value ),
				isset( $field['meta'] ) => self::meta( $type, $post, $field['meta'], $value ),
				default                 => self::terms( $field['name'], $value ?? array() ),
			},
		};
	}

	/**
	 * Returns a text as WordPress's own filters, such as kses, would store it for this user. Checks the length of its
	 * column, because the database would refuse a longer text.
	 *
	 * @param array<string, mixed> $field The field.
	 * @param string               $text  The text.
	 * @param WP_Post|null         $post  The post; null for a new post.
	 * @throws AIC_Refusal When the text is too long.
	 */
	private static function fitting( array $field, string $text, ?WP_Post $post ): string {
		global $wpdb;
		$text = trim( wp_unslash( sanitize_post_field( $field['column'], wp_slash( $text ), $post->ID ?? 0, 'db' ) ) );
		$room = $wpdb->get_col_length( $wpdb->posts, $field['column'] );
		$size = is_array( $room ) && 'char' === $room['type'] ? mb_strlen( $text ) : strlen( $text );
		AIC_Refusal::when( is_array( $room ) && $size > $room['length'], "The field {$field['name']} takes at most {$room['length']} bytes; this text has $size." );
		return $text;
	}

	/**
	 * Adds the slug that WordPress gives to a post in its new state: a draft may have any slug or none, and other posts
	 * have a slug of their own.
	 *
	 * @param WP_Post_Type         $type   The type.
	 * @param WP_Post|null         $post   The post; null for a new post.
	 * @param array<string, mixed> $stored Values by field.
	 * @return array<string, mixed>
	 */
	private static function addressed( WP_Post_Type $type, ?WP_Post $post, array $stored ): array {
		$slug = $stored['slug'] ?? ( isset( $stored['status'] ) && $post ? $post->post_name : null );
		if ( null === $slug ) {
			return $stored;
		}
		$status = $post ? $stored['status'] ?? $post->post_status : 'publish';
		if ( '' === $slug && $post && ! in_array( $status, array( 'draft', 'pending' ), true ) ) {
			$slug = sanitize_title( $stored['title'] ?? $post->post_title, (string) $post->ID );
		}
		$parent = (int) ( $stored['parent'] ?? $post->post_parent ?? 0 );
		return array( 'slug' => '' === $slug ? '' : wp_unique_post_slug( $slug, $post->ID ?? 0, $status, $type->name, $parent ) ) + $stored;
	}

	/**
	 * Returns a state that the user may set.
	 *
	 * @param WP_Post_Type         $type  The type.
	 * @param array<string, mixed> $field The field.
	 * @param mixed                $value The wanted value.
	 * @throws AIC_Refusal When the user may not set the state.
	 */
	private static function status( WP_Post_Type $type, array $field, $value ): string {
		$options = implode( ', ', $field['options'] );
		AIC_Refusal::when( ! in_array( $value, $field['options'], true ), "This user may give $type->label one of these states: $options." );
		return $value;
	}

	/**
	 * Returns a time; null for no time.
	 *
	 * @param mixed $value The wanted value.
	 * @throws AIC_Refusal When the value is not a time.
	 */
	private static function date( $value ): ?string {
		AIC_Refusal::when( null !== $value && ! Entry::isTime( $value ), 'The field date takes a time in UTC such as 2026-11-22T09:30:00Z.' );
		return null === $value ? null : AIC_Record::time( gmdate( 'Y-m-d H:i:s', (int) strtotime( $value ) ) );
	}

	/**
	 * Returns the id of a picture; 0 for no picture.
	 *
	 * @param int $id The id of the attachment.
	 * @throws AIC_Refusal When there is no such picture.
	 */
	private static function picture( int $id ): int {
		$is_there = 0 === $id || ( AIC_Record::post( 'attachment', $id ) && wp_attachment_is_image( $id ) );
		AIC_Refusal::when( ! $is_there, "There is no picture $id: search the type attachment." );
		return $id;
	}

	/**
	 * Returns the id of a post of the same type that may be the parent.
	 *
	 * @param WP_Post_Type $type   The type.
	 * @param WP_Post|null $post   The post; null for a new post.
	 * @param int          $parent The wanted parent; 0 for none.
	 * @throws AIC_Refusal When the parent does not exist, or is the post itself or below it.
	 */
	private static function parent( WP_Post_Type $type, ?WP_Post $post, int $parent ): int {
		$above = AIC_Record::post( $type->name, $parent );
		AIC_Refusal::when( 0 !== $parent && ! $above, "There is no $type->name $parent." );
		AIC_Refusal::when( $above && $post && ( $above->ID === $post->ID || in_array( $post->ID, get_post_ancestors( $above ), true ) ), 'A record cannot lie below itself.' );
		return $parent;
	}

	/**
	 * Returns existing terms as slugs. Terms are never created here; only people create them.
	 *
	 * @param string $taxonomy The taxonomy.
	 * @param mixed  $value    Slugs or names.
	 * @return array<int, string>
	 * @throws AIC_Refusal When a term does not exist.
	 */
	private static function terms( string $taxonomy, $value ): array {
		AIC_Refusal::when( ! is_array( $value ) || array_filter( $value, static fn( $term ) => ! is_string( $term ) ), "The field $taxonomy takes a list of slugs." );
		$slugs = array();
		foreach ( $value as $wanted ) {
			$term = get_term_by( 'slug', $wanted, $taxonomy ) ?: get_term_by( 'name', $wanted, $taxonomy );
			if ( ! $term ) {
				$known = get_terms( array( 'taxonomy' => $taxonomy, 'hide_empty' => false, 'number' => 30, 'fields' => 'slugs' ) );
				throw new AIC_Refusal( "There is no $taxonomy $wanted. Some that are there: " . implode( ', ', is_array( $known ) ? $known : array() ) . '.' );
			}
			$slugs[] = $term->slug;
		}
		sort( $slugs );
		return array_values( array_unique( $slugs ) );
	}

	/**
	 * Returns a value of registered meta.
	 *
	 * @param WP_Post_Type $type  The type.
	 * @param WP_Post|null $post  The post; null for a new post.
	 * @param string       $key   The key of the meta.
	 * @param mixed        $value The wanted value.
	 * @return mixed
	 * @throws AIC_Refusal When the user may not change the meta, or the value is not valid.
	 */
	private static function meta( WP_Post_Type $type, ?WP_Post $post, string $key, $value ) {
		AIC_Refusal::when( ( $post || null !== $value ) && ! self::may_set( $post ?? AIC_Record::blank( $type ), $key ), "The field meta.$key cannot be changed by this user." );
		if ( null === $value ) {
			return null;
		}
		$schema = array( 'type' => AIC_Types::meta( $type->name )[ $key ]['type'] );
		AIC_Refusal::when_error( rest_validate_value_from_schema( $value, $schema, "meta.$key" ) );
		return sanitize_meta( $key, rest_sanitize_value_from_schema( $value, $schema ), 'post', $type->name );
	}

	/**
	 * True if the user may set a meta of a post. WordPress decides by the id of a post: a post that is not stored is in
	 * the cache for this question.
	 *
	 * @param WP_Post $post The post.
	 * @param string  $key  The key of the meta.
	 */
	private static function may_set( WP_Post $post, string $key ): bool {
		if ( 0 !== $post->ID ) {
			return current_user_can( 'edit_post_meta', $post->ID, $key );
		}
		$post->ID = PHP_INT_MAX;
		wp_cache_set( $post->ID, $post, 'posts' );
		try {
			return self::may_set( $post, $key );
		} finally {
			wp_cache_delete( $post->ID, 'posts' );
		}
	}

	/**
	 * Returns a text.
	 *
	 * @param array<string, mixed> $field The field.
	 * @param mixed                $value The wanted value.
	 * @throws AIC_Refusal When the value is not a text, or a required text is missing.
	 */
	private static function text( array $field, $value ): string {
		$value ??= '';
		AIC_Refusal::when( ! is_string( $value ) || ( $field['required'] && '' === trim( $value ) ), "The field {$field['name']} takes a text." );
		return $value;
	}

	/**
	 * Returns a whole number.
	 *
	 * @param array<string, mixed> $field The field.
	 * @param mixed                $value The wanted value.
	 * @throws AIC_Refusal When the value is not such a number.
	 */
	private static function number( array $field, $value ): int {
		$value ??= 0;
		AIC_Refusal::when( ! is_numeric( $value ) || (float) $value !== (float) (int) $value, "The field {$field['name']} takes a whole number." );
		return (int) $value;
	}
}
