<?php
/**
 * What a write would change.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * Shows what a write would change, as the current user; nothing is stored.
 */
final class AIC_Preview {

	/**
	 * What a write would change; nothing is stored.
	 *
	 * @param array<string, mixed>             $write   The write.
	 * @param array<int, array<string, mixed>> $earlier Writes of the same proposal, taken as made.
	 * @return array<string, mixed>
	 */
	public static function of( array $write, array $earlier ): array {
		$type = AIC_Target::type( $write );
		if ( AIC_Bin::has( $write ) ) {
			return self::of_bin( $type, $write );
		}
		$post   = AIC_Target::post( $type, $write );
		$before = $post ? self::with_earlier( $type, $post, $earlier ) : array();
		$stored = AIC_Change::stored( $type, $post, AIC_Change::wanted( $before, $write ) );
		$fields = AIC_Types::fields( $type );
		$above  = $post ? null : AIC_Target::above( $type, $write );
		return array(
			'table'    => $type->name,
			'uid'      => $post ? $post->ID : null,
			'label'    => $post ? AIC_Record::title( $post ) : (string) ( $stored['title'] ?? $type->labels->singular_name ),
			'page'     => array(
				'uid'   => $post ? $post->ID : ( $above ? $above->ID : 0 ),
				'title' => $post ? AIC_Record::title( $post ) : ( $above ? AIC_Record::title( $above ) : $type->label ),
			),
			'changes'  => self::changes( $fields, $before, $stored ),
			'versions' => array_map( array( self::class, 'versioned' ), array_filter( array( $post ?? $above ) ) ),
		);
	}

	/**
	 * What a write about the bin would change.
	 *
	 * @param WP_Post_Type         $type  The type.
	 * @param array<string, mixed> $write The write.
	 * @return array<string, mixed>
	 */
	private static function of_bin( WP_Post_Type $type, array $write ): array {
		list( $post, $changes ) = AIC_Bin::preview( $type, $write );
		$title                  = AIC_Record::title( $post );
		return array(
			'table'    => $type->name,
			'uid'      => $post->ID,
			'label'    => $title,
			'page'     => array(
				'uid'   => $post->ID,
				'title' => $title,
			),
			'changes'  => $changes,
			'versions' => array( self::versioned( $post ) ),
		);
	}

	/**
	 * The values of a post once earlier writes of the same proposal are made.
	 *
	 * @param WP_Post_Type                     $type    The type.
	 * @param WP_Post                          $post    The post.
	 * @param array<int, array<string, mixed>> $earlier The writes.
	 * @return array<string, mixed>
	 */
	private static function with_earlier( WP_Post_Type $type, WP_Post $post, array $earlier ): array {
		$values = AIC_Record::values( $post );
		foreach ( $earlier as $write ) {
			if ( 'create' !== $write['kind'] && ! AIC_Bin::has( $write ) && $write['table'] === $type->name && (int) $write['uid'] === $post->ID ) {
				$values = array_merge( $values, AIC_Change::stored( $type, $post, AIC_Change::wanted( $values, $write ) ) );
			}
		}
		return $values;
	}

	/**
	 * The fields that would really change.
	 *
	 * @param array<string, array<string, mixed>> $fields Fields by name.
	 * @param array<string, mixed>                $before Values now.
	 * @param array<string, mixed>                $after  Values then.
	 * @return array<int, array<string, mixed>>
	 */
	private static function changes( array $fields, array $before, array $after ): array {
		$changes = array();
		foreach ( $after as $name => $value ) {
			$old = isset( $before[ $name ] ) ? self::words( $before[ $name ] ) : null;
			$new = self::words( $value );
			if ( $old !== $new ) {
				$changes[] = array(
					'field'  => (string) $name,
					'label'  => $fields[ $name ]['label'],
					'before' => $old,
					'after'  => $new,
				);
			}
		}
		return $changes;
	}

	/**
	 * A value as a text.
	 *
	 * @param mixed $value The value.
	 */
	private static function words( $value ): string {
		return is_string( $value ) ? $value : (string) wp_json_encode( $value );
	}

	/**
	 * A post with its version.
	 *
	 * @param WP_Post $post The post.
	 * @return array{table: string, uid: int, version: string}
	 */
	private static function versioned( WP_Post $post ): array {
		return array(
			'table'   => $post->post_type,
			'uid'     => $post->ID,
			'version' => AIC_Record::version( $post ),
		);
	}
}
