'use client'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorState, Skeleton } from '@/components/ui/states.tsx'
import type { ListedTemplate } from '@/server/configs/config-templates.ts'
import { RulesInWords } from './rules-in-words.tsx'

/** Purpose, tools and rules of the template, and the way to its example session. */
export function ChosenTemplate({ name }: { readonly name: ListedTemplate['name'] }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.configs.templates.queryOptions())
  const template = query.data?.find((listed) => listed.name === name)
  if (query.error !== null) {
    const retry = () => void query.refetch()
    return <ErrorState what="The templates could not be read." why={query.error} onRetry={retry} />
  }
  if (template === undefined) return <Skeleton className="h-40" />
  return (
    <section aria-label={template.title} className="rounded-md border border-border">
      <div className="flex flex-col gap-1 border-border border-b p-3">
        <p>{template.purpose}</p>
        <p className="text-text-2">{template.audience}</p>
        {template.adapt === null ? null : <p className="text-text-2">{template.adapt}</p>}
        <p className="text-small text-text-2">
          Tools: {template.tools.map((tool) => tool.name).join(', ')}
        </p>
        <Link href={`/configs/templates/${name}`} target="_blank" className="text-link">
          Open the example session
        </Link>
      </div>
      <RulesInWords rules={template.rules} activity={null} />
    </section>
  )
}
