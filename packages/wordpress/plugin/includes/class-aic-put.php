<?php
/**
 * Changes.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

use BackendAiChat\Once;

/** Previews or makes a put as the current user. Both operations check the same current rights and values. */
final class AIC_Put {

	/**
	 * The allowed members of each form of put, by the function that plans it. Each put also has `table` and `uid`; a
	 * new record has no uid.
	 */
	private const FORMS = array(
		'AIC_Put::change' => array( 'fields', 'state' ),
		'AIC_Bin::plan'   => array( 'bin' ),
		'AIC_Put::remove' => array( 'remove' ),
		'AIC_Put::create' => array( 'place', 'fields' ),
	);

	/**
	 * Returns for each member of a put the types that it may have.
	 *
	 * @return array<string, array<int, string>>
	 */
	public static function writes(): array {
		$posts = array_values( array_diff( array_keys( AIC_Types::all() ), array( 'attachment' ) ) );
		$kept  = array_filter( $posts, static fn( string $type ) => post_type_supports( $type, 'revisions' ) );
		return array(
			'bin'     => AIC_Bin::types(),
			'restore' => array_values( $kept ),
		) + array_fill_keys( array( 'create', 'state', 'times', 'remove' ), $posts );
	}

	/**
	 * Previews a put without a key. Makes a put with a key only once, in one transaction.
	 *
	 * @param array<string, mixed> $question The put with its key, and the versions that it is based on.
	 * @return array<string, mixed>
	 */
	public static function run( array $question ): array {
		list( 'put' => $put, 'key' => $key, 'correlationId' => $run, 'versions' => $versions ) = $question;
		return null === $key
			? self::conflict( $versions ) ?? self::plan( $put, '' )[0]
			: ( new Once( new AIC_Store() ) )->make( self::name( $key ), static fn() => self::conflict( $versions ) ?? self::make( $put, $run ) );
	}

	/**
	 * Returns the stored name of a key; it contains the user's id, so a key is valid only for its user.
	 *
	 * @param string $key The key.
	 */
	public static function name( string $key ): string {
		return 'put:' . get_current_user_id() . ":$key";
	}

	/**
	 * Makes a put.
	 *
	 * @param array<string, mixed> $put The put.
	 * @param string               $run The run that makes the put.
	 * @return array<string, mixed>
	 */
	private static function make( array $put, string $run ): array {
		list( $answer, $store ) = self::plan( $put, $run );
		if ( $answer['before'] === $answer['after'] ) {
			return $answer;
		}
		try {
			AIC_History::begin( $put['uid'] ? get_post( $put['uid'] ) : null, $run );
			$id = $store();
		} catch ( Exception $error ) {
			// WordPress's cache can outlast the request, and has what the end of the transaction takes back.
			clean_post_cache( (int) $put['uid'] );
			// A hook of a plugin refuses with an exception of any class.
			throw $error instanceof AIC_Refusal ? $error : AIC_Refusal::with_words( $error->getMessage() );
		}
		clean_post_cache( $id );
		$post = get_post( $id );
		if ( $post ) {
			AIC_Forms::mark( $id );
			$answer['uid']             = $id;
			$answer['version']         = AIC_Record::version( $post );
			$answer['after']['record'] = AIC_Record::may_read( $post ) ? AIC_Record::of( $post ) : null;
		}
		return $answer;
	}

	/**
	 * Returns a conflict if a version differs from the stored one; null if all are current. In a transaction, the posts
	 * stay locked until it ends.
	 *
	 * @param array<int, array<string, mixed>> $versions The versions.
	 * @return array<string, mixed>|null
	 */
	private static function conflict( array $versions ): ?array {
		foreach ( $versions as $seen ) {
			AIC_Store::lock_post( $seen['uid'] );
			$post = $seen['uid'] > 0 ? get_post( $seen['uid'] ) : null;
			if ( ! $post || $post->post_type !== $seen['table'] || AIC_Record::version( $post ) !== $seen['version'] ) {
				return array( 'state' => 'conflict' ) + $seen;
			}
		}
		return null;
	}

	/**
	 * Plans a put: returns the answer to the put, and the function that stores the put.
	 *
	 * @param array<string, mixed> $put The put.
	 * @param string               $run The run that makes the put.
	 * @return array{0: array<string, mixed>, 1: callable(): int}
	 * @throws AIC_Refusal When WordPress does not support the change, or the user may not make it.
	 */
	private static function plan( array $put, string $run ): array {
		$members = array_diff( array_keys( $put ), array( 'table', 'uid' ) );
		$forms   = array_filter( self::FORMS, static fn( $form ) => $members && ! array_diff( $members, $form ) );
		$form    = (string) array_key_first( $forms );
		$type    = AIC_Types::find( $put['table'] );
		AIC_Refusal::when( ! $type, "There is no type {$put['table']} that can be changed." );
		AIC_Refusal::when( '' === $form || ( null === $put['uid'] ) !== isset( $put['place'] ), 'WordPress has no such change.' );
		return $form( $type, $put, $run );
	}

	/**
	 * Plans a change of fields and state.
	 *
	 * @param WP_Post_Type         $type The type.
	 * @param array<string, mixed> $put  The put.
	 * @param string               $run  The run that makes the put.
	 * @return array{0: array<string, mixed>, 1: callable(): int}
	 */
	private static function change( WP_Post_Type $type, array $put, string $run ): array {
		$post   = AIC_Target::editable( $type, $put['uid'] );
		$fields = AIC_Value::of_state( $type, $post, $put['state'] ?? null ) + ( $put['fields'] ?? array() );
		$stored = AIC_Value::all( $type, $post, $fields, $run );
		$before = AIC_Record::of( $post );
		$answer = self::answer( $type, $post, array( 'record' => $before ), array( 'record' => AIC_Record::with( $before, $stored ) ) );
		return array( $answer, static fn() => AIC_Writer::update( $type, $post, $stored ) );
	}

	/**
	 * Plans a new record, which only its editors see.
	 *
	 * @param WP_Post_Type         $type The type.
	 * @param array<string, mixed> $put  The put.
	 * @param string               $run  The run that makes the put.
	 * @return array{0: array<string, mixed>, 1: callable(): int}
	 */
	private static function create( WP_Post_Type $type, array $put, string $run ): array {
		$above  = AIC_Target::above( $type, $put['place']['pid'] ?? 0 );
		$fields = ( $above ? array( 'parent' => $above->ID ) : array() ) + ( $put['fields'] ?? array() );
		$stored = array( 'status' => 'draft' ) + AIC_Value::all( $type, null, $fields, $run ) + AIC_Types::default_terms( $type->name );
		$record = AIC_Record::with( AIC_Record::of( AIC_Record::blank( $type ) ), $stored );
		$answer = self::answer( $type, $above, null, array( 'record' => array( 'version' => '' ) + $record ) );
		$new    = array( 'uid' => null, 'version' => '' );
		return array( $new + $answer, static fn() => AIC_Writer::create( $type, $stored, $run ) );
	}

	/**
	 * Plans the removal of a record that a run of the chat created. If the type has a bin, the post goes to the bin. A
	 * check's own post is deleted permanently.
	 *
	 * @param WP_Post_Type         $type The type.
	 * @param array<string, mixed> $put  The put.
	 * @param string               $run  The run that makes the put.
	 * @return array{0: array<string, mixed>, 1: callable(): int}
	 */
	private static function remove( WP_Post_Type $type, array $put, string $run ): array {
		$post    = AIC_Target::deletable( $type, $put['uid'] );
		$is_kept = in_array( $type->name, AIC_Bin::types(), true );
		return array(
			self::answer( $type, $post, array( 'record' => AIC_Record::of( $post ) ), array( 'record' => null ) ),
			static fn() => $is_kept && ! AIC_Writer::is_undo_of_check( $post, $run ) ? AIC_Bin::move( $post, true ) : AIC_Writer::delete( $post ),
		);
	}

	/**
	 * Returns the answer to a put.
	 *
	 * @param WP_Post_Type              $type   The type.
	 * @param WP_Post|null              $post   The post before the put; null for a new record.
	 * @param array<string, mixed>|null $before The stored record, or null for a new record.
	 * @param array<string, mixed>      $after  The record after the put.
	 * @return array<string, mixed>
	 */
	public static function answer( WP_Post_Type $type, ?WP_Post $post, ?array $before, array $after ): array {
		$version = $post ? AIC_Record::version( $post ) : '';
		return array(
			'state'    => 'done',
			'table'    => $type->name,
			'uid'      => $post->ID ?? null,
			'version'  => $version,
			'before'   => $before,
			'after'    => $after,
			'labels'   => array_column( AIC_Types::fields( $type ), 'label', 'name' ),
			'page'     => array( 'uid' => $post->ID ?? 0, 'title' => $post ? AIC_Record::title( $post ) : $type->label ),
			'versions' => $post ? array( array( 'table' => $type->name, 'uid' => $post->ID, 'version' => $version ) ) : array(),
		);
	}
}
