<?php
/**
 * Pictures.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

use BackendAiChat\Records;

/**
 * The picture of an attachment, as the current user may see it.
 */
final class AIC_Picture {

	/**
	 * Returns the picture of a record; null if this user sees no such record.
	 *
	 * @param string $table The type.
	 * @param int    $uid   The id.
	 * @return array<string, string>|null
	 */
	public static function of( string $table, int $uid ): ?array {
		if ( ! AIC_Reader::record( $table, $uid ) ) {
			return null;
		}
		// phpcs:disable WordPress.WP.AlternativeFunctions -- A file of this site.
		$file = static fn( string $path ) => array(
			'type'  => (string) wp_get_image_mime( $path ),
			'bytes' => (int) filesize( $path ),
			'read'  => static fn() => (string) file_get_contents( $path ),
		);
		return Records::pictureOf( array_map( $file, 'attachment' === $table ? self::paths( $uid ) : array() ) );
	}

	/**
	 * Returns the files of an attachment: the full size first, then the smaller sizes, the widest first.
	 *
	 * @param int $uid The id of the attachment.
	 * @return array<int, string>
	 */
	private static function paths( int $uid ): array {
		$whole = get_attached_file( $uid );
		if ( ! $whole || ! wp_attachment_is_image( $uid ) ) {
			return array();
		}
		$sizes = array_filter( (array) ( wp_get_attachment_metadata( $uid )['sizes'] ?? array() ), 'is_array' );
		$files = array_column( wp_list_sort( $sizes, 'width', 'DESC' ), 'file' );
		$paths = array_map( static fn( $file ) => path_join( dirname( $whole ), wp_basename( (string) $file ) ), $files );
		return array_values( array_filter( array( $whole, ...$paths ), array( self::class, 'is_upload' ) ) );
	}

	/**
	 * True if a file is in the uploads folder; a database row could name any file of the machine.
	 *
	 * @param string $path The path of the file.
	 */
	private static function is_upload( string $path ): bool {
		$real    = realpath( $path );
		$uploads = realpath( wp_get_upload_dir()['basedir'] );
		return $real && $uploads && is_file( $real ) && str_starts_with( $real, trailingslashit( $uploads ) );
	}
}
