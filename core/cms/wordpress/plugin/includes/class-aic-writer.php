<?php
/**
 * Writing.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Makes a write: once for each key, in one transaction, as the current user.
 */
final class AIC_Writer {

	/**
	 * Makes a write.
	 *
	 * @param array<string, mixed>             $write    The write.
	 * @param string                           $key      Its key.
	 * @param string                           $run      The turn that it belongs to.
	 * @param array<int, array<string, mixed>> $versions What the user has seen.
	 * @return array<string, mixed>
	 */
	public static function write( array $write, string $key, string $run, array $versions ): array {
		return AIC_Store::transact(
			static function () use ( $write, $key, $run, $versions ): array {
				// Another request with this key is waited for here; its outcome is the one of both.
				if ( ! AIC_Store::put_write( $key, array( 'state' => 'void' ) ) ) {
					return AIC_Store::outcome( $key ) ?? array( 'state' => 'void' );
				}
				$outcome = self::outcome( $write, $key, $run, $versions );
				if ( 'done' !== $outcome['state'] ) {
					AIC_Store::complete_write( $key, $outcome, array() );
				}
				return $outcome;
			}
		);
	}

	/**
	 * Makes a write whose key is this transaction's.
	 *
	 * @param array<string, mixed>             $write    The write.
	 * @param string                           $key      Its key.
	 * @param string                           $run      The turn that it belongs to.
	 * @param array<int, array<string, mixed>> $versions What the user has seen.
	 * @return array<string, mixed>
	 */
	private static function outcome( array $write, string $key, string $run, array $versions ): array {
		foreach ( $versions as $seen ) {
			AIC_Store::lock_post( (int) $seen['uid'] );
			$now = 'undelete' === $write['kind'] ? get_post( (int) $seen['uid'] ) : AIC_Record::post( (string) $seen['table'], (int) $seen['uid'] );
			if ( ! $now || AIC_Record::version( $now ) !== $seen['version'] ) {
				return array(
					'state' => 'conflict',
					'table' => $seen['table'],
					'uid'   => (int) $seen['uid'],
				);
			}
		}
		$type = AIC_Target::type( $write );
		if ( AIC_Bin::has( $write ) ) {
			return self::moved( $type, $write, $key, $run );
		}
		$post   = AIC_Target::post( $type, $write );
		$values = $post ? AIC_Record::values( $post ) : array();
		$stored = AIC_Change::stored( $type, $post, AIC_Change::wanted( $values, $write ) );
		$before = array_intersect_key( $values, $stored );
		$old    = $post ? AIC_Record::version( $post ) : '';
		if ( $post ) {
			AIC_History::keep_before( $post->ID );
		}
		$id = self::store( $type, $post, $stored, $post ? 0 : (int) $write['pid'] );
		AIC_History::mark( $id, $run );
		clean_post_cache( $id );
		return self::completed( $id, array_map( 'strval', array_keys( $stored ) ), $key, compact( 'run' ) + array(
			'kind'           => $write['kind'],
			'version_before' => $old,
			'before_values'  => wp_json_encode( $before ),
		) );
	}

	/**
	 * Puts a post into the bin or brings it back.
	 *
	 * @param WP_Post_Type         $type  The type.
	 * @param array<string, mixed> $write The write.
	 * @param string               $key   Its key.
	 * @param string               $run   The turn that it belongs to.
	 * @return array<string, mixed>
	 */
	private static function moved( WP_Post_Type $type, array $write, string $key, string $run ): array {
		$post = AIC_Bin::post( $type, $write );
		$old  = AIC_Record::version( $post );
		AIC_Bin::move( $post, $write['kind'] );
		return self::completed( $post->ID, array(), $key, compact( 'run' ) + array(
			'kind'           => $write['kind'],
			'version_before' => $old,
			'before_values'  => '{}',
		) );
	}

	/**
	 * Keeps the outcome of a write under its key, and answers it with the record.
	 *
	 * @param int                  $id      The post.
	 * @param array<int, string>   $changed Its fields that were changed.
	 * @param string               $key     Key of the write.
	 * @param array<string, mixed> $columns What else is kept of it.
	 * @return array<string, mixed>
	 */
	private static function completed( int $id, array $changed, string $key, array $columns ): array {
		$after   = get_post( $id );
		$outcome = array(
			'state'   => 'done',
			'table'   => $after->post_type,
			'uid'     => $id,
			'version' => AIC_Record::version( $after ),
			'changed' => $changed,
		);
		AIC_Store::complete_write(
			$key,
			$outcome,
			$columns + array(
				'user_id'   => get_current_user_id(),
				'post_id'   => $id,
				'post_type' => $after->post_type,
				'version'   => $outcome['version'],
			)
		);
		return $outcome + array( 'record' => AIC_Record::may_read( $after ) ? AIC_Record::of( $after ) : null );
	}

	/**
	 * The outcome of a write whose end is not known; a write that has not come is never made.
	 *
	 * @param string $key Its key.
	 * @return array<string, mixed>
	 */
	public static function settle( string $key ): array {
		return AIC_Store::transact(
			static function () use ( $key ): array {
				$void = array( 'state' => 'void' );
				return AIC_Store::put_write( $key, $void ) ? $void : ( AIC_Store::outcome( $key ) ?? $void );
			}
		);
	}

	/**
	 * Stores values through WordPress's own functions, so that hooks, sanitizers and revisions work.
	 *
	 * @param WP_Post_Type         $type   The type.
	 * @param WP_Post|null         $post   The post; null: a new one.
	 * @param array<string, mixed> $stored Values by field.
	 * @param int                  $parent Post that a new one lies below.
	 * @return int Id of the post.
	 * @throws AIC_Refusal When WordPress refuses.
	 */
	public static function store( WP_Post_Type $type, ?WP_Post $post, array $stored, int $parent = 0 ): int {
		$columns = array(
			'title'      => 'post_title',
			'content'    => 'post_content',
			'excerpt'    => 'post_excerpt',
			'slug'       => 'post_name',
			'status'     => 'post_status',
			'parent'     => 'post_parent',
			'menu_order' => 'menu_order',
		);
		$row     = array( 'post_type' => $type->name );
		foreach ( array_intersect_key( $stored, $columns ) as $name => $value ) {
			$row[ $columns[ $name ] ] = $value;
		}
		if ( isset( $stored['date'] ) ) {
			$row['post_date_gmt'] = gmdate( 'Y-m-d H:i:s', (int) strtotime( $stored['date'] ) );
			$row['post_date']     = get_date_from_gmt( $row['post_date_gmt'] );
			$row['edit_date']     = true;
		}
		if ( $post ) {
			$id = wp_update_post( wp_slash( array( 'ID' => $post->ID ) + $row ), true );
		} else {
			$id = wp_insert_post( wp_slash( $row + array( 'post_parent' => $parent ) ), true );
		}
		if ( is_wp_error( $id ) ) {
			throw AIC_Refusal::for_model( 'WordPress refused it: ' . $id->get_error_message() );
		}
		self::store_beside( $type, $id, $stored );
		update_post_meta( $id, '_edit_last', get_current_user_id() );
		return $id;
	}

	/**
	 * Stores what is not in the row of the post.
	 *
	 * @param WP_Post_Type         $type   The type.
	 * @param int                  $id     The post.
	 * @param array<string, mixed> $stored Values by field.
	 */
	private static function store_beside( WP_Post_Type $type, int $id, array $stored ): void {
		if ( isset( $stored['alt'] ) ) {
			update_post_meta( $id, '_wp_attachment_image_alt', wp_slash( $stored['alt'] ) );
		}
		if ( isset( $stored['featured_media'] ) ) {
			if ( $stored['featured_media'] > 0 ) {
				set_post_thumbnail( $id, $stored['featured_media'] );
			} else {
				delete_post_thumbnail( $id );
			}
		}
		foreach ( AIC_Types::taxonomies( $type->name ) as $taxonomy ) {
			if ( isset( $stored[ $taxonomy->name ] ) ) {
				wp_set_object_terms( $id, $stored[ $taxonomy->name ], $taxonomy->name );
			}
		}
		foreach ( $stored as $name => $value ) {
			if ( str_starts_with( (string) $name, 'meta.' ) ) {
				update_post_meta( $id, substr( $name, 5 ), wp_slash( $value ) );
			}
		}
	}
}
