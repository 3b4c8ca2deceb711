// A link inside the console. Nothing is fetched ahead: no page shows anything before its data, so asking for it ahead brings nothing and
// costs the server a rendering for every link in view.
import NextLink from 'next/link'
import type { ComponentProps } from 'react'

export function Link(props: ComponentProps<typeof NextLink>) {
  return <NextLink prefetch={false} {...props} />
}
