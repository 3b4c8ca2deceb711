// Link inside the console, without prefetching: no page shows anything before its data, so prefetching gains nothing and costs the server a
// render per visible link.
import NextLink from 'next/link'
import type { ComponentProps } from 'react'

export function Link(props: ComponentProps<typeof NextLink>) {
  return <NextLink prefetch={false} {...props} />
}
