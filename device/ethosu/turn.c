/* A lock granted in the order of requests, so that a thread that lets time pass does not keep others from registers. */
#include "turn.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next = PTHREAD_COND_INITIALIZER;
static unsigned long asked, served; /* turns */
static unsigned depth;
static pthread_t owner;

void macaw_ethosu_take_turn(void) {
  pthread_mutex_lock(&mutex);
  if (depth == 0 || !pthread_equal(owner, pthread_self())) {
    const unsigned long mine = asked++;
    while (mine != served) pthread_cond_wait(&next, &mutex);
    owner = pthread_self();
  }
  ++depth;
  pthread_mutex_unlock(&mutex);
}

void macaw_ethosu_leave_turn(void) {
  pthread_mutex_lock(&mutex);
  if (--depth == 0) {
    ++served;
    pthread_cond_broadcast(&next);
  }
  pthread_mutex_unlock(&mutex);
}
