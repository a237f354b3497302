<?php
/**
 * Pictures.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * The picture of an attachment, as the current user may see it.
 */
final class AIC_Picture {

	/**
	 * Most bytes of a picture: as base64 it fits an answer.
	 */
	private const MOST = 3_000_000;

	/**
	 * The types of picture that models see.
	 */
	private const SHOWN = array( 'image/png', 'image/jpeg', 'image/gif', 'image/webp' );

	/**
	 * The picture of a record; null: there is no such record for this user.
	 *
	 * @param string $table Type.
	 * @param int    $uid   Id.
	 * @return array<string, string>|null
	 */
	public static function of( string $table, int $uid ): ?array {
		if ( ! AIC_Reader::record( $table, $uid ) ) {
			return null;
		}
		$files = 'attachment' === $table ? self::files( $uid ) : array();
		foreach ( $files as $file ) {
			if ( filesize( $file ) <= self::MOST ) {
				$bytes = (string) file_get_contents( $file );
				return array(
					'state'  => 'there',
					// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions.obfuscation_base64_encode -- The bridge has no other form for bytes.
					'base64' => base64_encode( $bytes ),
				);
			}
		}
		return array( 'state' => $files ? 'tooLarge' : 'none' );
	}

	/**
	 * The files of an attachment that are pictures by their content, the whole one first, then its sizes, the widest first.
	 *
	 * @param int $uid Id of the attachment.
	 * @return array<int, string>
	 */
	private static function files( int $uid ): array {
		$whole = get_attached_file( $uid );
		if ( ! $whole || ! wp_attachment_is_image( $uid ) ) {
			return array();
		}
		$meta  = wp_get_attachment_metadata( $uid );
		$sizes = is_array( $meta ) && is_array( $meta['sizes'] ?? null ) ? array_filter( $meta['sizes'], 'is_array' ) : array();
		usort( $sizes, static fn( array $one, array $other ): int => (int) ( $other['width'] ?? 0 ) <=> (int) ( $one['width'] ?? 0 ) );
		$names = array_map( static fn( array $size ): string => wp_basename( (string) ( $size['file'] ?? '' ) ), $sizes );
		$paths = array( $whole, ...array_map( static fn( string $name ): string => path_join( dirname( $whole ), $name ), array_filter( $names ) ) );
		return array_values( array_filter( $paths, array( self::class, 'is_shown' ) ) );
	}

	/**
	 * True if a file is a picture among the uploads: a row of the database may name any file of the machine.
	 *
	 * @param string $path Path of the file.
	 */
	private static function is_shown( string $path ): bool {
		$real    = realpath( $path );
		$uploads = realpath( wp_get_upload_dir()['basedir'] );
		$is_ours = $real && $uploads && is_file( $real ) && str_starts_with( $real, trailingslashit( $uploads ) );
		return $is_ours && in_array( wp_get_image_mime( $real ), self::SHOWN, true );
	}
}
