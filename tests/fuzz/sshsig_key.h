/* The key of the seeds; its private half was thrown away. */
#define SSHSIG_SEED_KEY "SHA256:TueW0XxTbAm0jwWVEC+xUvWGHiZYUryTVUYek+DeMEk"
