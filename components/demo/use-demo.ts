'use client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { StoryName } from '@/server/demo/demo-input.ts'

export const STORY_TITLES = {
  'release-notes': 'Release notes',
  'coding-agent': 'Coding agent',
  'support-triage': 'Support',
} as const satisfies Record<StoryName, string>

export function useDemoRight() {
  return useRight('editor')
}

/** Its result is the id of the session, which is listed with its first events. */
export function useDemoRun() {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const router = useRouter()
  return useMutation(
    trpc.demo.run.mutationOptions({
      onSuccess: ({ sessionId }, { story }) => {
        void queries.invalidateQueries(trpc.demo.stories.queryFilter())
        toast(`The demo "${STORY_TITLES[story]}" is running.`, {
          action: {
            label: 'Open session',
            onClick: () => router.push(`/sessions/${sessionId}`),
          },
        })
      },
      onError: (error) => toast.error(error.message),
    }),
  )
}
