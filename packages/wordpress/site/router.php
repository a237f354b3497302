<?php
/**
 * Serves the local site under PHP's own server: files as they are, everything else by WordPress.
 */

$path = parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH );
$file = $_SERVER['DOCUMENT_ROOT'] . $path;
if ( is_dir( $file ) && is_file( rtrim( $file, '/' ) . '/index.php' ) && '/' !== $path ) {
	$_SERVER['SCRIPT_NAME'] = rtrim( $path, '/' ) . '/index.php';
	chdir( $file );
	require rtrim( $file, '/' ) . '/index.php';
	return true;
}
if ( is_file( $file ) ) {
	return false;
}
$_SERVER['SCRIPT_NAME'] = '/index.php';
chdir( $_SERVER['DOCUMENT_ROOT'] );
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
