// Without prefetching: no page shows anything before its data, so prefetching would cost the server a render per link for nothing.
import NextLink from 'next/link'
import type { ComponentProps } from 'react'

export function Link(props: ComponentProps<typeof NextLink>) {
  return <NextLink prefetch={false} {...props} />
}
