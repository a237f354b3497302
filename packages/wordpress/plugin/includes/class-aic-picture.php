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
		$small = array_filter( $files, static fn( string $file ) => filesize( $file ) <= self::MOST );
		if ( ! $small ) {
			return array( 'state' => $files ? 'tooLarge' : 'none' );
		}
		// phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions.obfuscation_base64_encode, WordPress.WP.AlternativeFunctions -- A file of this site, in the form of the bridge for bytes.
		return array( 'state' => 'there', 'base64' => base64_encode( (string) file_get_contents( reset( $small ) ) ) );
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
		$sizes = array_filter( (array) ( wp_get_attachment_metadata( $uid )['sizes'] ?? array() ), 'is_array' );
		$files = array_column( wp_list_sort( $sizes, 'width', 'DESC' ), 'file' );
		$paths = array_map( static fn( $file ) => path_join( dirname( $whole ), wp_basename( (string) $file ) ), $files );
		return array_values( array_filter( array( $whole, ...$paths ), array( self::class, 'is_shown' ) ) );
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
