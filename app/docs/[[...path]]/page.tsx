import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { DocsPage } from '@/components/docs/docs-page.tsx'
import { readDocsPage } from '@/server/http/docs.ts'

interface Props {
  readonly params: Promise<{ readonly path?: readonly string[] }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { path = [] } = await params
  const { page } = await readDocsPage(path)
  return path.length === 0 || page === null ? {} : { title: page.title }
}

export default async function Page({ params }: Props) {
  const { path = [] } = await params
  const { page, navigation } = await readDocsPage(path)
  if (page === null) notFound()
  return <DocsPage page={page} navigation={navigation} current={['/docs', ...path].join('/')} />
}
