'use client'
import { useMutation } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { toast } from '@/components/ui/toast.tsx'

export function useDemoRun() {
  const trpc = useTRPC()
  return useMutation(
    trpc.overview.runDemo.mutationOptions({
      onSuccess: () =>
        toast('The demo agent is running. Its session appears on Overview and Sessions.'),
      onError: (error) => toast(error.message),
    }),
  )
}
