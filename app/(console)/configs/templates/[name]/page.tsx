import type { Metadata } from 'next'
import { fetchSubject, trpcServer } from '@/app/prefetch.ts'
import { TemplatePage } from '@/components/pages/template-page.tsx'

interface Props {
  readonly params: Promise<{ readonly name: string }>
}

export const metadata: Metadata = { title: 'Template' }

export default async function Page({ params }: Props) {
  const template = await fetchSubject(trpcServer.configs.template.queryOptions(await params))
  if (template === undefined) throw new Error('The template could not be read.')
  return <TemplatePage template={template} />
}
