/**
 * The button of the admin bar opens and closes the panel, which keeps clear of the bars of wp-admin.
 */
( () => {
	const button = document.querySelector( '#wp-admin-bar-backend-ai-chat > a' );

	const panel = () => document.querySelector( 'ai-chat-panel' );

	button?.addEventListener( 'click', ( event ) => {
		const element = panel();
		if ( ! element ) {
			return;
		}
		event.preventDefault();
		element.open = ! element.open;
	} );

	const widthOf = ( selector ) => document.querySelector( selector )?.getBoundingClientRect().width ?? 0;
	const heightOf = ( selector ) => document.querySelector( selector )?.getBoundingClientRect().height ?? 0;

	const keepClear = () => {
		const isWide = window.innerWidth > 782;
		const side = isWide ? widthOf( '#adminmenuwrap' ) : 0;
		const isRtl = document.documentElement.dir === 'rtl';
		const inset = [ heightOf( '#wpadminbar' ), isRtl ? side : 0, 0, isRtl ? 0 : side ];
		document.documentElement.style.setProperty( '--aic-inset', inset.map( ( size ) => `${ size }px` ).join( ' ' ) );
	};

	keepClear();
	const menu = document.querySelector( '#adminmenuwrap' );
	if ( menu && 'ResizeObserver' in window ) {
		new ResizeObserver( keepClear ).observe( menu );
	}
	window.addEventListener( 'resize', keepClear );
} )();
