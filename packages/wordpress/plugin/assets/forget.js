/**
 * Deletes the chat's data from the browser after a logout: drafts and the state of the panel belong to the logged-out
 * user.
 */
( () => {
	const isAfterLogout = new URLSearchParams( window.location.search ).get( 'loggedout' ) === 'true';
	for ( const storage of isAfterLogout ? [ window.localStorage, window.sessionStorage ] : [] ) {
		for ( const key of Object.keys( storage ) ) {
			if ( key.startsWith( 'aic:' ) ) {
				storage.removeItem( key );
			}
		}
	}
} )();
