/** The one function of Next.js that the button uses; Payload's admin panel brings Next.js. */
declare module 'next/navigation' {
  export function usePathname(): string
}
