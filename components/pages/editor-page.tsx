'use client'
import { useQuery } from '@tanstack/react-query'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'

const Editor = lazySection(
  () => import('@/components/configs/editor/editor.tsx').then((module) => module.Editor),
  <SkeletonRows />,
)

export function EditorPage({ ns, key_ }: { readonly ns: string; readonly key_: string }) {
  const trpc = useTRPC()
  const prompt = { ns, key: key_ }
  const workbench = useQuery(trpc.drafts.open.queryOptions(prompt))
  useReadOnChange({ kind: 'config' }, workbench)
  const { data, error, refetch } = workbench
  if (data !== undefined) return <Editor key={data.configId} workbench={data} />
  if (error !== null) {
    return (
      <ErrorState
        what={`Could not open ${ns}/${key_}.`}
        why={error}
        onRetry={() => void refetch()}
      />
    )
  }
  return <SkeletonRows />
}
