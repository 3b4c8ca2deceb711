import type { ComponentProps } from 'react'
import { PageHeader as Header } from '@/components/ui/page-header.tsx'
import { LostServer } from './lost-server.tsx'

/** Header of a page of the console. A file that is opened without a server has only the header. */
export function PageHeader(props: ComponentProps<typeof Header>) {
  return (
    <>
      <Header {...props} />
      <LostServer />
    </>
  )
}
